/**
 * `state-service --demo`: serves a week of three invented people on a temporary database, and a live reading of each every
 * few seconds. With `--lan`, a phone posts as a fourth person. Deletes the database when it is stopped.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderUnicodeCompact } from 'uqr';
import { createStateClient, type StateClient } from '../client/src/index.js';
import { type Colors, colorsFor } from './colors.js';
import { demoPeople, sendDemoWeek, sendPresent } from './demo-week.js';
import { type LocalService, setClock, startLocalService } from './local-service.js';
import { untilSignal } from './stop-on-signals.js';
import { seededRandom } from './terminal/scenes.js';

const host = '127.0.0.1';
const usualPort = 8080;
const pauseMs = 5_000;
/** Health data crosses only private networks in plain text. */
const privateAddress = /^(10|127|169\.254|172\.(1[6-9]|2\d|3[01])|192\.168)(\.\d+)+$/;
/** While the week is sent, there are no limits, and nothing listens on the network. */
const preparing = {
  PORT: '0',
  SOURCES_URL: '',
  LIMIT_SESSION_REQUESTS_PER_MINUTE: '0',
  LIMIT_NEW_SESSIONS_PER_MINUTE: '0',
};
/** The fourth person, and the app of their source key: any that posts JSON. */
const visitor = { subject_id: 'demo-you', source: 'generic' } as const;

/** `lan` is the IPv4 address of this machine on which phones post, true for the first one in a network. */
export async function serveDemo(root: URL, env: NodeJS.ProcessEnv, lan?: string | true): Promise<void> {
  const settings = await chooseSettings(env, lan && findAddress(lan));
  await untilSignal(async (stop) => {
    console.log('Preparing a week of three invented people …');
    const past = (folder: string) => ({ ...settings, ...preparing, TEST_CLOCK_FILE: setClock(folder, Date.now()) });
    const service = await startLocalService({ root, name: 'demo-week', settings: past });
    await present(service, settings, colorsFor(process.stdout, env), stop).finally(service.close);
  }, 0);
}

type DemoSettings = Awaited<ReturnType<typeof chooseSettings>>;

/** Returns the environment variables of the service. Only `lan` is reachable from other machines. */
export async function chooseSettings({ PORT, PUBLIC_URL }: NodeJS.ProcessEnv, lan: string | undefined) {
  const first = Number(PORT ?? usualPort);
  const port = PORT && first !== 0 ? PORT : String(await findPort(host, first));
  return {
    ...{ HOST: host, PORT: port, PUBLIC_URL: PUBLIC_URL ?? `http://${host}:${port}` },
    ...(lan !== undefined && { SOURCES_URL: `http://${lan}:${await findPort(lan, first)}` }),
  };
}

async function present(service: LocalService, settings: DemoSettings, colors: Colors, stop: AbortSignal) {
  const { folder, key } = service;
  const connect = (url: string) => createStateClient({ baseUrl: url, key });
  await sendDemoWeek(connect(service.url), (nowMs) => setClock(folder, nowMs), stop);
  await service.restart(settings);
  const client = connect(service.url);
  await sendPresent(client, 0, seededRandom(0));
  const phone = settings.SOURCES_URL && (await describePhone(client, service, settings.SOURCES_URL, colors));
  console.log(await describe(client, service, phone));
  await play(client, stop);
}

async function play(client: StateClient, stop: AbortSignal): Promise<void> {
  const random = seededRandom(1);
  for (let index = 1; ; index += 1) {
    await sleep(pauseMs, undefined, { signal: stop });
    await sendPresent(client, index, random);
  }
}

/** Returns the named address, or the first one of this machine. Throws an Error with the remedy if it is not private. */
function findAddress(named: string | true): string {
  const all = Object.values(networkInterfaces()).flatMap((it) => it ?? []);
  const own = all.filter(({ internal }) => !internal).map(({ address }) => address);
  const found = (named === true ? own : [named]).find((it) => privateAddress.test(it));
  if (found !== undefined) return found;
  throw new Error('--lan requires a private IPv4 address: join a network, or name the address: --lan 192.168.1.20');
}

/** Returns a port of an address, or a free one if another process uses it. Rejects if this machine lacks the address. */
async function findPort(address: string, port: number): Promise<number> {
  const server = createServer().listen(port, address);
  try {
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return findPort(address, 0);
    throw error;
  } finally {
    server.close();
  }
}

async function describe(client: StateClient, { url, key }: LocalService, phone = ''): Promise<string> {
  const people = [...demoPeople].map(async ([id, week]) => {
    const { active, resolved } = await client.triggers(id);
    const topics = [...active, ...resolved.map((it) => `${it} (resolved)`)].join(', ');
    return `  ${id.padEnd(10)}  ${week.padEnd(17)}  ${topics || 'no triggers'}`;
  });
  return `
Listening on ${url}
Dashboard: ${url}/dashboard/#key=${key}

People, with their week and the topics that go with more stress:
${(await Promise.all(people)).join('\n')}

  curl -s '${url}/v1/state?subject_id=demo-ada' -H 'X-Service-Key: ${key}'
${phone}
Ctrl-C ends the demo and deletes its database.`;
}

/** Creates the source key of the fourth person. Returns how a phone posts with it, as text with a code to scan. */
async function describePhone(client: StateClient, { url, key }: LocalService, sourcesUrl: string, colors: Colors) {
  const { subject_id, source } = visitor;
  const time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const created = await client.createSourceKey({ ...visitor, time_zone, expires_in_days: 1 });
  const postUrl = `${sourcesUrl}/v1/sources/${source}/${created.key}`;
  const code = renderUnicodeCompact(postUrl, { border: 4 }).split('\n');
  return `
A phone in this network is the fourth person, ${subject_id}. Each app that posts JSON such as {"heart_rate": 72} uses:

${code.map((line) => colors.bgBlack(colors.whiteBright(line))).join('\n')}

  ${postUrl}

Codes for Health Auto Export and HC Webhook: ${url}/dashboard/#key=${key}/subjects/${subject_id}
`;
}
