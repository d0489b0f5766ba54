/** Bare Express: parses a JSON body and sends a JSON response. */
import express from 'express';
import { answerTo } from './answer.js';
import { listen } from './listen.js';

const app = express();
app.use(express.json());
app.post('/v1/ingest', (request, response) => {
  response.json(answerTo(request.body));
});
listen(app);
