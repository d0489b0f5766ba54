/**
 * A server that the service is compared with: `bare` Express parses and sends JSON. `validated` also validates requests
 * against the contract. `storing` stores each reading in its own transaction before it responds, without validation or
 * scoring.
 */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { modelVersion } from '../../../generated/spec.js';
import type { StateReading, Submission } from '../../../src/contract/contract.js';

/**
 * Returns the constant response of every comparison server. It has the structure and length of the service's responses.
 */
function answerTo({ session_id, timestamp }: Submission): StateReading {
  return {
    hsp_version: '1.0',
    session_id,
    timestamp,
    state: 'stressed',
    stress_score: 79,
    confidence: 0.84,
    signals_received: ['cardiovascular', 'vocal', 'textual'],
    suggested_action: 'de-escalate_and_shorten',
    action_reason: "Heart rate 16 bpm above the population's typical, tense voice, negative sentiment.",
    recommendation:
      'Answer in at most two short, concrete sentences, acknowledge the strain and ask for nothing that can wait.',
    adaptation_effectiveness: {
      previous_action: 'maintain_engagement',
      previous_score: 28,
      current_score: 79,
      stress_delta: 51,
      effective: false,
    },
    model_version: modelVersion.number,
    topics_detected: [],
    active_triggers: [],
    resolved_triggers: [],
    disclaimer:
      'Not a medical device. Scores are estimates for adapting software and must not be used for diagnosis or treatment.',
  };
}

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
    response.json(answerTo(request.body));
  });
  return app;
}

async function openRecord(): Promise<RecordReading> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite.js')).openSqlite(url.slice('sqlite:'.length));
  return (await import('./mysql.js')).openMysql(url);
}
