import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { sources as settings } from '../../../generated/spec.js';
import { openModelUpstream } from '../../../testkit/model-upstream.js';
import { createHubSecret } from '../../../testkit/phone.js';
import { readUsage } from '../../../testkit/program.js';
import type { Row } from '../../../testkit/verdict.js';
import { startGateway } from '../../bench/support/service.js';
import { forgeKey, upload } from '../../bench/support/uploads.js';
import { ask, createRequest, headersOf, startPost } from '../shared/client.js';
import { timeDuring } from '../shared/timing.js';
import type { Attack } from './scenario.js';
import type { Stage } from './stage.js';

const rounds = 8;
const peoplePerRound = 4;
export const leavingClients = rounds * peoplePerRound;
/** Time until the clients of a round leave, ms. */
const stayMs = 700;
const settleMs = 6_000;
/** Limit of the memory that the posts add, MB. */
const addedMbMax = 400;

/** One account posts bodies that take long to read, and closes the connections. */
export async function preparePosts(stage: Stage): Promise<Attack> {
  const people = Array.from({ length: peoplePerRound }, (_, index) => `p${index}`);
  const keys = await Promise.all(people.map((person) => createPhone(stage, 'attacker', person)));
  const name = (index: number) => `"${index.toString(36)}":1`;
  const object = `{"hr":70,${Array.from({ length: settings.names_max - 1 }, (_, index) => name(index)).join()}}`;
  // Made before the attack, because the neighbor runs in the same process.
  const body = gzipSync(`[${Array.from({ length: 1_500 }, () => object).join()}]`);
  return ({ service }) => postAndLeave(service(), keys, body);
}

async function postAndLeave({ url, pid }: ReturnType<Stage['service']>, keys: readonly string[], body: Uint8Array) {
  const countThreads = () => readdirSync(`/proc/${pid}/task`).length;
  const [before, megabytes] = [countThreads(), readUsage(pid).residentMb];
  let [threads, memory] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const clients = new AbortController();
    for (const key of keys) void post(url, key, body, clients.signal);
    await sleep(stayMs);
    threads = Math.max(threads, countThreads() - before);
    memory = Math.max(memory, readUsage(pid).residentMb - megabytes);
    clients.abort();
  }
  await sleep(settleMs);
  return [
    { what: 'threads added', found: threads, allowed: settings.large_threads_max },
    { what: 'threads left', found: Math.max(0, countThreads() - before), allowed: 0 },
    { what: 'memory added, MB', found: Math.round(memory), allowed: addedMbMax },
  ];
}

export const slowPosters = 4;
const probes = 10;

/** Accounts begin large posts, and a stranger posts to the connection of a hub. None of them sends the whole body. */
export async function holdPlaces(stage: Stage): Promise<Row[]> {
  const { service, clock, defer, command } = stage;
  const start = (path: string, headers: Record<string, string>) => {
    const url = `${service().url}/v1/sources/${path}`;
    defer(startPost(url, headers, Buffer.alloc(2 * settings.large_bytes, ' ')));
  };
  for (let index = 0; index < slowPosters; index += 1) {
    await command('keys', 'create', '--account', `slow-${index}`, '--tier', 'enterprise');
    start('generic', headersOf(await createPhone(stage, `slow-${index}`)));
  }
  const hub = { source: 'terra', signing_secret: createHubSecret('terra') };
  const scoped = await command('keys', 'create', '--account', 'attacker', '--scopes', 'sources');
  const request = createRequest(service().url, scoped);
  const { id } = await request<{ readonly id: string }>('/v1/source-keys', hub);
  const signature = { 'terra-signature': `t=${Math.floor(clock.now() / 1000)},v1=00` };
  for (let index = 0; index < slowPosters; index += 1)
    start(`terra/${id}`, { ...signature, 'Content-Type': 'application/json' });
  await sleep(500);
  const key = await createPhone(stage, 'accomplice');
  let refused = 0;
  for (let probe = 0; probe < probes; probe += 1)
    for (const size of [1, settings.large_bytes + 1])
      if ((await post(service().url, key, gzipSync('{"hr":70}'.padEnd(size)))) !== 200) refused += 1;
  return [{ what: `posts of another account that were refused, of ${2 * probes}`, found: refused, allowed: 0 }];
}

const samples = 1_000;
const costlyPosts = 6;
/** Interval between two reads of the other account, ms. */
const paceMs = 10;
/** Maximum ratio between the slowest read of the other account during costly bodies and during ordinary ones. */
const ratioMax = 5;

/** Devices that all samples of a body share. A text of such letters has 18 times as many characters when it is normalized. */
const devices = { ordinary: ['Watch'], costly: ['\ufdfa'.repeat(20_000), 'a'.repeat(200_000)] };

/** One account posts bodies whose parts cost CPU, and another account reads a state. */
export async function postCostlyBodies(stage: Stage): Promise<Row[]> {
  const { accomplice, clock, service } = stage;
  const key = await createPhone(stage, 'attacker');
  const timestamp = new Date(clock.now()).toISOString();
  await accomplice.request('/v1/ingest', { session_id: 'other', timestamp, heart_rate: 70 });
  let refused = 0;
  const measure = async (names: readonly string[]) => {
    refused = 0;
    const posting = async () => {
      for (let index = 0; index < costlyPosts; index += 1) {
        const device = names[index % names.length];
        const body = JSON.stringify({ device, rr: Array.from({ length: samples }, () => 800) });
        if ((await ask(`${service().url}/v1/sources/generic`, headersOf(key), { body })) !== 200) refused += 1;
      }
    };
    return Math.max(...(await timeDuring(posting(), paceMs, () => accomplice.request('/v1/state?session_id=other'))));
  };
  await measure(devices.ordinary);
  const ordinaryMs = await measure(devices.ordinary);
  const ratio = Number(((await measure(devices.costly)) / ordinaryMs).toFixed(1));
  return [
    { what: 'slowest read of another account during ordinary bodies, ms', found: Math.round(ordinaryMs) },
    { what: 'the same during costly bodies (× ordinary ones)', found: ratio, allowed: ratioMax },
    { what: 'costly bodies that were not stored', found: refused, allowed: 0 },
  ];
}

/** Returns the source key of a person. */
function createPhone({ command }: Stage, account: string, person = 'p'): Promise<string> {
  return command('keys', 'create', '--account', account, '--subject', person, '--source', 'generic');
}

function post(url: string, key: string, body: Uint8Array, signal?: AbortSignal): Promise<number> {
  return ask(`${url}/v1/sources/generic`, { ...headersOf(key), 'Content-Encoding': 'gzip' }, { body, signal });
}

const uploads = 20;
const questions = 20;
/** Limit of the memory that the gateway adds, MB. Half of the bodies of the attack. */
const gatewayMbMax = 300;

/** Callers with invalid keys send large bodies to the gateway, and another caller asks questions. */
export async function uploadToGateway({ service, accomplice, defer }: Stage): Promise<Row[]> {
  const upstream = await openModelUpstream();
  defer(upstream.close);
  const gateway = await startGateway(service().url, upstream.url);
  defer(() => gateway.stop());
  const isAdapted = async (index: number) => {
    const headers = { 'X-State-Key': accomplice.key, 'X-State-Session': `gateway-${index}` };
    const content = 'My exam is tomorrow and I panic, I cannot cope any more.';
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] });
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
    return response.headers.get('x-state-adapted') === 'true';
  };
  const before = readUsage(gateway.pid).residentMb;
  const statuses = Array.from({ length: uploads }, (_, index) => upload(gateway.url, forgeKey(index)));
  let disturbed = 0;
  for (let index = 0; index < questions; index += 1) if (!(await isAdapted(index))) disturbed += 1;
  const accepted = (await Promise.all(statuses)).filter((status) => ![0, 401].includes(status)).length;
  const reached = upstream.requests.length - (questions - disturbed);
  return [
    { what: `requests of another caller disturbed, of ${questions}`, found: disturbed, allowed: 0 },
    { what: 'uploads not refused', found: accepted, allowed: 0 },
    { what: 'uploads that reached the model', found: reached, allowed: 0 },
    { what: 'memory added, MB', found: Math.round(readUsage(gateway.pid).residentMb - before), allowed: gatewayMbMax },
  ];
}
