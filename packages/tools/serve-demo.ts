/**
 * `state-service --demo`: serves a week of three invented people on a temporary database, and a live reading of each every
 * few seconds. Deletes the database when it is stopped.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createStateClient, type StateClient } from '../client/src/index.js';
import { demoPeople, sendDemoWeek, sendPresent } from './demo-week.js';
import { type LocalService, setClock, startLocalService } from './local-service.js';
import { untilSignal } from './stop-on-signals.js';
import { seededRandom } from './terminal/scenes.js';

const usualPort = 8080;
const pauseMs = 5_000;
const settings = { HOST: '127.0.0.1', RETENTION_READINGS_HOURS: '192' };
const unlimited = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '0', LIMIT_NEW_SESSIONS_PER_MINUTE: '0' };

export async function serveDemo(root: URL, { PORT }: NodeJS.ProcessEnv): Promise<void> {
  await untilSignal(async (stop) => {
    console.log('Preparing a week of three invented people …');
    const past = (folder: string) => ({ ...settings, ...unlimited, TEST_CLOCK_FILE: setClock(folder, Date.now()) });
    const service = await startLocalService({ root, name: 'demo-week', settings: past });
    await present(service, PORT, stop).finally(service.close);
  }, 0);
}

async function present(service: LocalService, port: string | undefined, stop: AbortSignal): Promise<void> {
  const { folder, key } = service;
  const connect = (url: string) => createStateClient({ baseUrl: url, key });
  await sendDemoWeek(connect(service.url), (nowMs) => setClock(folder, nowMs), stop);
  await service.restart({ ...settings, PORT: port ?? (await findPort()) });
  const client = connect(service.url);
  await sendPresent(client, 0, seededRandom(0));
  console.log(await describe(client, service));
  await play(client, stop);
}

async function play(client: StateClient, stop: AbortSignal): Promise<void> {
  const random = seededRandom(1);
  for (let index = 1; ; index += 1) {
    await sleep(pauseMs, undefined, { signal: stop });
    await sendPresent(client, index, random);
  }
}

/** Returns the usual port, or 0 if another process uses it: the system then chooses a free one. */
async function findPort(): Promise<string> {
  const server = createServer();
  try {
    server.listen(usualPort, settings.HOST);
    await once(server, 'listening');
    return String(usualPort);
  } catch {
    return '0';
  } finally {
    server.close();
  }
}

async function describe(client: StateClient, { url, key }: LocalService): Promise<string> {
  const people = demoPeople.map(async (id) => {
    const { active, resolved } = await client.triggers(id);
    const topics = [...active, ...resolved.map((it) => `${it} (resolved)`)].join(', ');
    return `  ${id.padEnd(10)}  ${topics || 'no triggers'}`;
  });
  return `
Listening on ${url}
Dashboard: ${url}/dashboard/#key=${key}

People, with the topics that raise their stress:
${(await Promise.all(people)).join('\n')}

  curl -s '${url}/v1/state?subject_id=${demoPeople[0]}' -H 'X-Service-Key: ${key}'

Ctrl-C ends the demo and deletes its database.`;
}
