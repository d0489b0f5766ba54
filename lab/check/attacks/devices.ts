import { fileURLToPath } from 'node:url';
import { hasCommands } from '../../../testkit/has-commands.js';
import { startBroker } from '../../../testkit/mosquitto.js';
import { startProgram } from '../../../testkit/program.js';
import { until } from '../../../testkit/until.js';
import type { Row } from '../../../testkit/verdict.js';
import { createRequest, headersOf } from '../shared/client.js';
import type { Stage } from './stage.js';

export const parallelThieves = 16;
const floodMs = 6_000;
const person = 'owner-of-the-device';

/**
 * One account reads, removes and sends with the device of another one. In the account of the device, a session token of
 * another person does. No answer may differ from that to an id that does not exist, and nothing may be stored.
 */
export async function useForeignDevice(stage: Stage): Promise<Row[]> {
  const { url } = stage.service();
  const scopes = ['--scopes', 'ingest,read,sources,tokens'];
  const createKey = (account: string) => stage.command('keys', 'create', '--account', account, ...scopes);
  const [owner, thief] = [await createKey('accomplice'), await createKey('attacker')];
  const own = createRequest(url, owner);
  const device: { readonly device_id: string } = await own('/v1/devices', {
    subject_id: person,
    name: 'Left',
    kind: 'watch',
  });
  const { token }: { readonly token: string } = await own('/v1/tokens', {
    session_id: 's',
    subject_id: 'other',
    scopes: ['ingest'],
  });
  const bearer = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const reading = (device_id: string) => ({
    device_id,
    timestamp: new Date(stage.clock.now()).toISOString(),
    heart_rate: 190,
  });
  const skill = (device_id: string) => ({ data: { skill: 'ingest', arguments: reading(device_id) } });
  const message = (id: string) => ({ messageId: 'm', role: 'ROLE_USER', parts: [skill(id)] });
  const version = { 'A2A-Version': '1.0' };
  type Attempt = readonly [path: string, headers: Record<string, string>, method: string, body?: object];
  const listAttempts = (id: string): Attempt[] => [
    ['/v1/ingest', headersOf(thief), 'POST', reading(id)],
    ['/v1/ingest', bearer, 'POST', reading(id)],
    ['/v1/ingest/batch', headersOf(thief), 'POST', [reading(id)]],
    [
      '/a2a',
      { ...headersOf(thief), ...version },
      'POST',
      { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: message(id) } },
    ],
    [`/v1/devices/${id}`, headersOf(thief), 'GET'],
    [`/v1/devices/${id}`, bearer, 'GET'],
    [`/v1/devices/${id}`, headersOf(thief), 'DELETE'],
  ];
  const send = async ([path, headers, method, body]: Attempt) => {
    const init = { headers, method, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(url + path, init);
    // The request id, and the ids that A2A creates.
    return `${response.status} ${(await response.text()).replaceAll(/"?[0-9a-f]{8}-[0-9a-f-]{27}"?/g, '')}`;
  };
  const [foreign, absent] = [listAttempts(device.device_id), listAttempts('watch_000000000000')];
  const endMs = Date.now() + floodMs;
  const counts = { sent: 0, different: 0, successful: 0 };
  const thieves = Array.from({ length: parallelThieves }, async (_, thiefIndex) => {
    for (let round = thiefIndex; Date.now() < endMs; round += 1) {
      const index = round % foreign.length;
      const [one, other] = [await send(foreign[index] as Attempt), await send(absent[index] as Attempt)];
      counts.sent += 2;
      // A limit may reject one of both.
      if (one !== other && !/^429/.test(one) && !/^429/.test(other)) counts.different += 1;
      // Batches and A2A state errors in a successful response.
      if (/^2/.test(one) && !/device_unknown|"is_error":true/.test(one)) counts.successful += 1;
    }
  });
  await Promise.all(thieves);
  const { last_reading_at }: { readonly last_reading_at: string | null } = await own(`/v1/devices/${device.device_id}`);
  return [
    { what: 'answers that differ from those to an unknown device', found: counts.different, allowed: 0 },
    { what: 'successful requests', found: counts.successful, allowed: 0 },
    { what: 'readings that are stored', found: last_reading_at === null ? 0 : 1, allowed: 0 },
    { what: 'requests', found: counts.sent },
  ];
}

/** Ids of people with the wildcards and separators of topics. */
const oddIds = ['+', '#', '/', 'a/+/#', '$SYS/broker', '+/'.repeat(60), 'realtime-state/other/state'];
const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));

/** People whose ids are topics are published beside the message of another program. No id may become a topic. */
export async function publishOddTopics({ service, accomplice, defer }: Stage): Promise<Row[]> {
  if (!hasCommands('mosquitto')) return [{ what: 'not run: mosquitto is not installed', found: 1 }];
  const broker = await startBroker(defer);
  const foreign = 'realtime-state/other/state';
  await broker.retain(foreign, 'kept');
  for (const [index, id] of oddIds.entries()) await accomplice.swing(`odd-${index}`, id);
  const args = [main, 'tools', 'mqtt', '--broker', broker.url, '--url', service().url, '--subject', ...oddIds];
  const program = startProgram({ args, env: { SERVICE_KEY: accomplice.key } });
  defer(() => program.stop('SIGKILL'));
  const read = async () => Object.keys(await broker.readRetained());
  // One of each person, one of availability, and the foreign one.
  await until('all people are published', async () => (await read()).length === oddIds.length + 2);
  const topics = await read();
  const isOwn = (topic: string) => /^realtime-state\/[0-9a-f]{16}\/(state|availability)$/.test(topic);
  const strange = topics.filter((it) => it !== foreign && !isOwn(it));
  await program.stop('SIGINT');
  const left = await broker.readRetained();
  return [
    { what: 'topics with a part of an id', found: strange.length, allowed: 0 },
    { what: 'messages that remain after the end', found: Object.keys(left).length - 1, allowed: 0 },
    { what: 'changed messages of another program', found: left[foreign] === 'kept' ? 0 : 1, allowed: 0 },
    { what: 'people published', found: topics.length - 2 },
  ];
}
