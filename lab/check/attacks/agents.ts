import type { Row } from '../../../testkit/verdict.js';
import { headersOf } from '../shared/client.js';
import type { Stage } from './stage.js';

export const parallelAgents = 16;
export const endlessStreams = 200;
const floodMs = 8_000;
const person = 'foreign-person';

/**
 * Agents of one account ask for a person of another one, send odd messages, and open streams that they never read. No answer
 * may name the person.
 */
export async function askAsAgents(stage: Stage): Promise<Row[]> {
  const { service, attacker, accomplice, defer } = stage;
  const url = `${service().url}/a2a`;
  const timestamp = new Date(stage.clock.now()).toISOString();
  await accomplice.request('/v1/ingest', { session_id: 'foreign', subject_id: person, timestamp, heart_rate: 90 });
  const headers = { ...headersOf(attacker.key), 'A2A-Version': '1.0' };
  const send = (method: string, parts: readonly object[]) => {
    const message = { messageId: 'm', role: 'ROLE_USER', parts };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } });
  };
  const skill = { data: { skill: 'get_human_state', arguments: { subject_id: person } } };
  const bodies = [
    send('SendMessage', [skill]),
    send('SendMessage', [{ text: `state of ${person}` }]),
    send('SendMessage', [{ data: { skill: 'delete_subject', arguments: { subject_id: person } } }]),
    `[${send('SendMessage', [skill])}]`,
    `${'['.repeat(30_000)}`,
  ];
  const stop = new AbortController();
  defer(() => stop.abort());
  let refusedStreams = 0;
  for (let index = 0; index < endlessStreams; index += 1) {
    const opened = fetch(url, {
      method: 'POST',
      headers,
      body: send('SendStreamingMessage', [skill]),
      signal: stop.signal,
    });
    const { status } = await opened.catch(() => ({ status: 0 }));
    if (status !== 200) refusedStreams += 1;
  }
  let [served, leaked] = [0, 0];
  const endMs = Date.now() + floodMs;
  const agents = Array.from({ length: parallelAgents }, async (_, agent) => {
    for (let round = agent; Date.now() < endMs; round += 1) {
      const response = await fetch(url, { method: 'POST', headers, body: bodies[round % bodies.length] ?? '' });
      const text = await response.text();
      if (/"state":|"stress_score"/.test(text)) leaked += 1;
      served += 1;
    }
  });
  await Promise.all(agents);
  return [
    { what: 'answers with a state of another account', found: leaked, allowed: 0 },
    { what: 'streams refused by the limits', found: refusedStreams },
    { what: 'messages answered', found: served },
  ];
}
