/** Express that stores each reading in its own transaction before it responds, without validation or scoring. */
import express from 'express';
import { answerTo } from './answer.js';
import { listen } from './listen.js';
import { openMysql } from './mysql.js';
import type { RecordReading } from './record-reading.js';
import { openSqlite } from './sqlite.js';

const url = process.env['DATABASE_URL'] ?? '';
const record: RecordReading = url.startsWith('sqlite:')
  ? openSqlite(url.slice('sqlite:'.length))
  : await openMysql(url);

const app = express();
app.use(express.json());
app.post('/v1/ingest', async (request, response) => {
  await record(request.body);
  response.json(answerTo(request.body));
});
listen(app);
