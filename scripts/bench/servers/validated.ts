/** Bare Express with request validation against the service's contract. */
import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { answerTo } from './answer.js';
import { listen } from './listen.js';

const app = express();
app.use(express.json());
app.use(OpenApiValidator.middleware({ apiSpec: 'openapi.yaml', validateRequests: true, validateSecurity: false }));
app.post('/v1/ingest', (request, response) => {
  response.json(answerTo(request.body));
});
listen(app);
