import express from 'express';
import { isGenuine } from './verify.js';

const secret = process.env['WEBHOOK_SECRET'];
if (!secret) throw new Error('Set WEBHOOK_SECRET to the secret from the response of the registration (whsec_…)');
/**
 * In production, use a table with a time to live. A duplicate may reach another of your processes, or arrive after a
 * restart.
 */
const seen = new Set<string>();

const app = express();
app.post('/hooks', express.raw({ type: () => true }), (request, response) => {
  const { body, headers } = request;
  if (!Buffer.isBuffer(body) || !isGenuine(body, headers, secret)) return void response.status(401).end();
  response.status(204).end(); // Responds immediately, because a slow response counts as a failed attempt.
  const id = String(headers['webhook-id']);
  if (seen.has(id)) return;
  seen.add(id);
  const { session_id, previous_state, new_state, stress_score } = JSON.parse(body.toString());
  console.log(`${session_id}: ${previous_state} → ${new_state} (${stress_score})`);
});
const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  console.log('Receiving on', server.address());
});
