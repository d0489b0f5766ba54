/** Express that stores each reading in a transaction of its own before it answers; nothing is checked or computed. */
import express from 'express';
import type { Submission } from '../../../src/contract.js';
import { answerTo } from './answer.js';
import { listen } from './listen.js';
import { openMysql } from './mysql.js';
import { openSqlite } from './sqlite.js';

/** Resolves when the reading is durable. */
export type RecordReading = (reading: Submission) => Promise<void> | void;

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
