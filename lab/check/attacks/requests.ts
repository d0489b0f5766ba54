import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { batch, limits } from '../../../generated/spec.js';
import { ndjson } from '../../../testkit/batch.js';
import { countDescriptors, readUsage } from '../../../testkit/program.js';
import type { Row } from '../../../testkit/verdict.js';
import { ask, headersOf, startPost } from '../shared/client.js';
import type { Stage } from './stage.js';

/** Number of unexpected responses after which counting stops, to limit the time for a service that does not respond. */
const unlikeMax = 3;
const noResponseMs = 5_000;
const settleMs = 3_000;
const probes = 20;
/**
 * Tolerance for the number of open file descriptors, because the service may open or close connections of the neighbor.
 */
const descriptorsTolerance = 30;
const documentConnections = 6;
const documentRequests = 3_000;

/**
 * Checks that a closed pipelined connection leaves no queued responses, which would hold request slots and open files.
 */
export async function pipelineRequests({ service, attacker }: Stage): Promise<Row[]> {
  const { url, pid } = service();
  const [descriptors, megabytes] = [countDescriptors(pid), readUsage(pid).residentMb];
  await sendAndCut(url, 'GET /v1/state HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(2_500));
  const get = 'GET /openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(documentRequests);
  await Promise.all(Array.from({ length: documentConnections }, () => sendAndCut(url, get)));
  await sleep(settleMs);
  const refused = await countUnlike(404, `${url}/v1/state?session_id=none`, attacker.key);
  return [
    { what: `requests refused afterwards, of ${probes}`, found: refused, allowed: 0 },
    { what: 'file descriptors leaked', found: countDescriptors(pid) - descriptors, allowed: descriptorsTolerance },
    { what: 'memory added, MB', found: Math.round(readUsage(pid).residentMb - megabytes) },
  ];
}

export const connectionsMax = 100;
const socketsPerRound = 60;
const rounds = 2;
/** Wait of the senders, ms. Longer than the time limits for the head and the body of a request. */
const waitMs = 12_000;

/** First bytes that the senders send. The service must respond or time out, and then close the connection. */
const beginnings = ['GARBAGE\r\n\r\n', '', 'POST /v1/ingest HTTP/1.1\r\nHost: attack\r\nContent-Length: 9\r\n\r\n{'];

export async function leaveSocketsHalfOpen({ service, attacker, defer }: Stage): Promise<Row[]> {
  const { url, pid } = service();
  const descriptors = countDescriptors(pid);
  for (let round = 0; round < rounds; round += 1) {
    for (let index = 0; index < socketsPerRound; index += 1) {
      const socket = await openSilentSocket(url);
      defer(() => socket.destroy());
      socket.write(beginnings[index % beginnings.length] ?? '');
    }
    await sleep(waitMs);
  }
  const refused = await countUnlike(200, `${url}/healthz`, attacker.key);
  return [
    { what: `new connections refused afterwards, of ${probes}`, found: refused, allowed: 0 },
    { what: 'connections left open', found: countDescriptors(pid) - descriptors, allowed: descriptorsTolerance },
  ];
}

/** Opens a connection that never reads and stays open when the service closes its side. */
async function openSilentSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  // The service is expected to reset these connections.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends the text. Closes the connection as soon as the kernel has the bytes, without reading a response. */
async function sendAndCut(url: string, text: string): Promise<void> {
  const socket = await openSilentSocket(url);
  await new Promise((resolve) => socket.once('close', resolve).write(text, () => socket.destroy()));
}

/** Returns how many of the requests, each on a new connection, do not get `status`. Stops counting at three. */
async function countUnlike(status: number, url: string, key: string): Promise<number> {
  let unlike = 0;
  for (let index = 0; index < probes && unlike < unlikeMax; index += 1)
    if ((await ask(url, headersOf(key), { agent: false, timeout: noResponseMs })) !== status) unlike += 1;
  return unlike;
}

const floodMs = 8_000;
export const parallelFloods = 16;
const messagesPerArray = 100;
/** Number of accounts whose slow uploads together exceed the batches that a process may have in progress. */
export const slowAccounts = Math.ceil(batch.in_progress_max / limits.batches.quota);
const batchProbes = 50;

/** One account sends requests to /mcp as fast as it can. Half of them contain many messages. */
export async function floodMcp({ service, attacker }: Stage): Promise<Row[]> {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const bodies = [list, Array.from({ length: messagesPerArray }, () => list)].map((it) => JSON.stringify(it));
  const headers = { ...headersOf(attacker.key), Accept: 'application/json, text/event-stream' };
  let [arrays, served] = [0, 0];
  await flood(async (round) => {
    const isArray = round % 2 === 1;
    const status = await ask(`${service().url}/mcp`, headers, { body: bodies[Number(isArray)] });
    if (isArray && status !== 400) arrays += 1;
    else if (status === 200) served += 1;
  });
  return [
    { what: 'JSON arrays that were not rejected', found: arrays, allowed: 0 },
    { what: 'tool lists that were served', found: served },
  ];
}

const ndjsonType = 'application/x-ndjson';

/**
 * Several accounts begin all batches that they may have in progress, and do not finish them. The service closes the
 * connections after its time limit.
 */
export async function uploadSlowly(stage: Stage): Promise<Row[]> {
  const url = `${stage.service().url}/v1/ingest/batch`;
  for (let index = 0; index < slowAccounts; index += 1) {
    const key = await stage.command('keys', 'create', '--account', `slow-${index}`, '--tier', 'enterprise');
    const headers = { ...headersOf(key, ndjsonType), 'Content-Length': batch.max_bytes };
    for (let upload = 0; upload < limits.batches.quota; upload += 1)
      stage.defer(startPost(url, headers, '{"session_id":'));
  }
  await sleep(500);
  let refused = 0;
  for (let probe = 0; probe < batchProbes; probe += 1)
    if ((await postBatch(stage, [reading(stage, `probe-${probe}`, 0)])) !== 200) refused += 1;
  return [{ what: `batches of another account that were refused, of ${batchProbes}`, found: refused, allowed: 0 }];
}

/** One account sends as many of the largest batches as it may have in progress. */
export async function sendLargeBatches(stage: Stage): Promise<Row[]> {
  let sent = 0;
  await flood(async (round, sender) => {
    if (sender >= limits.batches.quota) return sleep(floodMs);
    const lines = Array.from({ length: batch.lines_max }, (_, line) =>
      reading(stage, `large-${sender}-${line % 100}`, round * batch.lines_max + line),
    );
    if ((await postBatch(stage, lines)) === 200) sent += batch.lines_max;
  });
  return [{ what: 'lines stored', found: sent }];
}

/** Repeats the work of all senders concurrently for the duration of a flood. */
async function flood(work: (round: number, sender: number) => Promise<unknown>): Promise<void> {
  const endsAt = performance.now() + floodMs;
  const send = async (sender: number) => {
    for (let round = 0; performance.now() < endsAt; round += 1) await work(round, sender);
  };
  await Promise.all(Array.from({ length: parallelFloods }, (_, sender) => send(sender)));
}

function reading({ clock }: Stage, session_id: string, count: number) {
  const timestamp = new Date(clock.now() - (count % 200_000)).toISOString();
  return { session_id, timestamp, heart_rate: 60 + (count % 60) };
}

function postBatch({ service, accomplice }: Stage, lines: readonly object[]): Promise<number> {
  const url = `${service().url}/v1/ingest/batch`;
  return ask(url, headersOf(accomplice.key, ndjsonType), { body: ndjson(lines) });
}
