import { setTimeout as sleep } from 'node:timers/promises';
import { request as httpRequest } from 'node:http';
import { batch, limits } from '../../../generated/spec.js';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const floodMs = 8_000;
const parallelFloods = 16;
const messagesPerArray = 100;
/** Number of accounts whose slow uploads together exceed the batches that a process may have in progress. */
const slowAccounts = Math.ceil(batch.in_progress_max / limits.batches.quota);
const probes = 50;

/** One account sends requests to /mcp as fast as it can. Half of them contain many messages. */
export const mcpFlood: Scenario = {
  item: 16,
  title: `${parallelFloods} parallel senders to /mcp, also of JSON arrays`,
  neighborRatioMax: 10,
  async attack({ service, attacker }) {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const bodies = [list, Array.from({ length: messagesPerArray }, () => list)].map((it) => JSON.stringify(it));
    let [arrays, served] = [0, 0];
    await flood(async (round) => {
      const isArray = round % 2 === 1;
      const status = await post(service().url, '/mcp', attacker.key, 'application/json', bodies[Number(isArray)]);
      if (isArray && status !== 400) arrays += 1;
      else if (status === 200) served += 1;
    });
    return [
      { what: 'JSON arrays that were not rejected', found: arrays, allowed: 0 },
      { what: 'tool lists that were served', found: served },
    ];
  },
};

/** Several accounts begin all batches that they may have in progress, and do not finish them. */
export const slowUploads: Scenario = {
  item: 18,
  title: `${slowAccounts * limits.batches.quota} slow uploads of batches by ${slowAccounts} accounts`,
  async attack(stage) {
    for (let index = 0; index < slowAccounts; index += 1) {
      const key = await stage.command('keys', 'create', '--account', `slow-${index}`, '--tier', 'enterprise');
      for (let upload = 0; upload < limits.batches.quota; upload += 1) startUpload(stage, key);
    }
    await sleep(500);
    let refused = 0;
    for (let probe = 0; probe < probes; probe += 1)
      if ((await postBatch(stage, [reading(stage, `probe-${probe}`, 0)])) !== 200) refused += 1;
    return [{ what: `batches of another account that were refused, of ${probes}`, found: refused, allowed: 0 }];
  },
};

/** One account sends as many of the largest batches as it may have in progress. */
export const largeBatches: Scenario = {
  item: 19,
  title: `${limits.batches.quota} parallel batches of ${batch.lines_max} lines`,
  async attack(stage) {
    let sent = 0;
    const send = async (round: number, sender: number) => {
      if (sender >= limits.batches.quota) return sleep(floodMs);
      const lines = Array.from({ length: batch.lines_max }, (_, line) =>
        reading(stage, `large-${sender}-${line % 100}`, round * batch.lines_max + line),
      );
      if ((await postBatch(stage, lines)) === 200) sent += batch.lines_max;
    };
    await flood(send);
    return [{ what: 'lines stored', found: sent }];
  },
};

/** Repeats the work of all senders concurrently for the duration of a flood. */
async function flood(work: (round: number, sender: number) => Promise<unknown>): Promise<void> {
  const endsAt = performance.now() + floodMs;
  const send = async (sender: number) => {
    for (let round = 0; performance.now() < endsAt; round += 1) await work(round, sender);
  };
  await Promise.all(Array.from({ length: parallelFloods }, (_, sender) => send(sender)));
}

function reading({ clock }: Stage, session_id: string, count: number) {
  return {
    session_id,
    timestamp: new Date(clock.now() - (count % 200_000)).toISOString(),
    heart_rate: 60 + (count % 60),
  };
}

function postBatch({ service, accomplice }: Stage, lines: readonly object[]): Promise<number> {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return post(service().url, '/v1/ingest/batch', accomplice.key, 'application/x-ndjson', body);
}

async function post(url: string, path: string, key: string, type: string, body = ''): Promise<number> {
  const headers = { 'X-Service-Key': key, 'Content-Type': type, Accept: 'application/json, text/event-stream' };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

/** Sends the first bytes of a batch, and no more. The service closes the connection after its time limit. */
function startUpload({ service, defer }: Stage, key: string): void {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/x-ndjson', 'Content-Length': batch.max_bytes };
  const upload = httpRequest(`${service().url}/v1/ingest/batch`, { method: 'POST', agent: false, headers });
  upload.on('error', () => undefined);
  upload.write('{"session_id":');
  defer(() => upload.destroy());
}
