import { readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { sources as settings } from '../../../generated/spec.js';
import { createHubSecret } from '../../../testkit/phone.js';
import { readUsage } from '../../../testkit/program.js';
import { createRequest } from '../shared/client.js';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const rounds = 8;
const peoplePerRound = 4;
/** Time until the clients of a round leave, ms. */
const stayMs = 700;
const settleMs = 6_000;
const slowAccounts = 4;
const probes = 10;
/** Limit of the memory that the posts add, MB. */
const addedMbMax = 400;
/** Maximum ratio between the p50 of the neighbor with and without the attack. */
const neighborRatioMax = 10;

/** Made before the attack, because the neighbor runs in the same process. */
const prepared = new WeakMap<Stage, { readonly keys: readonly string[]; readonly body: Uint8Array }>();

/** One account posts bodies that take long to read, and closes the connections. */
export const clientsThatLeave: Scenario = {
  item: 57,
  title: `${rounds * peoplePerRound} large posts to sources whose clients leave`,
  neighborRatioMax,
  async prepare(stage) {
    const people = Array.from({ length: peoplePerRound }, (_, index) => `p${index}`);
    const keys = await Promise.all(people.map((person) => createSourceKey(stage, 'attacker', person)));
    const name = (index: number) => `"${index.toString(36)}":1`;
    const object = `{"hr":70,${Array.from({ length: settings.names_max - 1 }, (_, index) => name(index)).join()}}`;
    prepared.set(stage, { keys, body: gzipSync(`[${Array.from({ length: 1_500 }, () => object).join()}]`) });
  },
  async attack(stage) {
    const { url, pid } = stage.service();
    const { keys, body } = prepared.get(stage) ?? {};
    if (!keys || !body) throw new Error('attack runs before prepare');
    const countThreads = () => readdirSync(`/proc/${pid}/task`).length;
    const [before, megabytes] = [countThreads(), readUsage(pid).residentMb];
    let [threads, memory] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const clients = new AbortController();
      for (const key of keys) void post(url, key, body, clients.signal).catch(() => undefined);
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
  },
};

/** Accounts begin large posts, and a stranger posts to the connection of a hub. None of them sends the whole body. */
export const heldPlaces: Scenario = {
  item: 57,
  title: `slow posts of ${slowAccounts} accounts, and of a hub without a signature`,
  neighborRatioMax,
  async attack(stage) {
    for (let index = 0; index < slowAccounts; index += 1) {
      const account = `slow-${index}`;
      await stage.command('keys', 'create', '--account', account, '--tier', 'enterprise');
      startPost(stage, 'generic', await createSourceKey(stage, account, 'p'), {});
    }
    const hub = { source: 'terra', signing_secret: createHubSecret('terra') };
    const key = await stage.command('keys', 'create', '--account', 'attacker', '--scopes', 'sources');
    const request = createRequest(stage.service().url, key);
    const { id } = await request<{ readonly id: string }>('/v1/source-keys', hub);
    const signature = { 'terra-signature': `t=${Math.floor(stage.clock.now() / 1000)},v1=00` };
    for (let index = 0; index < slowAccounts; index += 1) startPost(stage, `terra/${id}`, undefined, signature);
    await sleep(500);
    const other = await createSourceKey(stage, 'accomplice', 'p');
    let refused = 0;
    for (let probe = 0; probe < probes; probe += 1)
      for (const size of [1, settings.large_bytes + 1])
        if ((await post(stage.service().url, other, gzipSync('{"hr":70}'.padEnd(size)))) !== 200) refused += 1;
    return [{ what: `posts of another account that were refused, of ${2 * probes}`, found: refused, allowed: 0 }];
  },
};

function createSourceKey({ command }: Stage, account: string, person: string): Promise<string> {
  return command('keys', 'create', '--account', account, '--subject', person, '--source', 'generic');
}

async function post(url: string, key: string, body: Uint8Array, signal?: AbortSignal): Promise<number> {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
  const response = await fetch(`${url}/v1/sources/generic`, {
    method: 'POST',
    headers,
    body,
    ...(signal && { signal }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Sends the start of a large body, and no more. */
function startPost(
  { service, defer }: Stage,
  path: string,
  key: string | undefined,
  headers: Record<string, string>,
): void {
  const upload = httpRequest(`${service().url}/v1/sources/${path}`, {
    ...{ method: 'POST', agent: false },
    headers: { ...headers, 'Content-Type': 'application/json', ...(key !== undefined && { 'X-Service-Key': key }) },
  });
  upload.on('error', () => undefined);
  upload.write(Buffer.alloc(2 * settings.large_bytes, ' '));
  defer(() => upload.destroy());
}
