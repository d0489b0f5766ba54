/**
 * A server that the service is compared with: `bare` Express parses and sends JSON. `validated` also validates requests
 * against the contract. `storing` stores each reading in its own transaction before it responds, without validation or
 * scoring.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import type { NamedSubmission as Submission } from '../../../src/readings/device.js';

/** The constant response of every comparison server: a response of the service. */
const example = contract.components.examples.LaterReading.value;

/** Stores a reading. Resolves when the reading is durable. */
export type RecordReading = (reading: Submission) => Promise<void> | void;

const [kind, url = ''] = [process.argv[2], process.env['DATABASE_URL']];
const server = createServer(await createIngest());
server.listen(0, '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once('SIGTERM', () => process.exit());

async function createIngest(): Promise<RequestListener> {
  const app = express();
  app.use(express.json());
  if (kind === 'validated') {
    const { middleware } = await import('express-openapi-validator');
    app.use(middleware({ apiSpec: 'openapi.yaml', validateRequests: true, validateSecurity: false }));
  }
  if (kind === 'storing') {
    const record = await openRecord();
    app.use(async (request, _, next) => {
      await record(request.body);
      next();
    });
  }
  app.post('/v1/ingest', (request, response) => {
    const { session_id, timestamp }: Submission = request.body;
    response.json({ ...example, session_id, timestamp });
  });
  return app;
}

async function openRecord(): Promise<RecordReading> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite.js')).openSqlite(url.slice('sqlite:'.length));
  return (await import('./mysql.js')).openMysql(url);
}
