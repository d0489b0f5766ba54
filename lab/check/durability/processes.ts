import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import type { NamedSubmission as Submission } from '../../../src/readings/device.js';
import { chapterOf } from '../../../testkit/story.js';
import { type Row, rowsOfCounts, sumOf } from '../../../testkit/verdict.js';
import { createRequest } from '../shared/client.js';
import { type Aftermath, endure } from '../shared/endure.js';
import type { Load, Sender, SentReadings } from '../shared/load.js';
import { type Member, withProcesses } from '../shared/processes.js';
import { countLost, rowsOfEvents } from '../shared/verdict.js';
import { additionsEnv, useAdditions } from './additions.js';
import { agrees, faultNames, faultTitles, isOneEach, judgeReadings, type Shown } from './readings.js';
import type { Trial } from './service.js';

/** Range of the interval between two rounds of a session, ms. */
const pauseMs = [200, 600] as const;
/**
 * Maximum time to deliver all queued deliveries, ms. Longer than the lease of a crashed worker plus the full retry
 * schedule of every delivery in a queue.
 */
const drainMs = 420_000;
const retryMs = 60_000;
/** In every n-th round, all services get the same reading instead of different ones. */
const sameEvery = 4;

/** Time without new requests before a service ends, ms. */
const outMs = 2_000;

export interface Actions {
  readonly killOne: () => Promise<string>;
  /** Replaces one process after another, each while no requests go to it. */
  readonly replaceAll: (file: string) => Promise<void>;
  /** Starts to use what the earlier release does not know. */
  readonly add: () => Promise<void>;
}

/** What 1.0.0 requires on a database of a later release, because it keeps readings for 24 hours. */
const kept = { RETENTION_READINGS_HOURS: '192', RETENTION_IDLE_SESSIONS_HOURS: '192' };

/** Two services and two separate workers. One of the services also delivers webhooks. */
const members: readonly Member[] = [
  { name: 'service with worker', env: { WORKER: '1', ...kept } },
  { name: 'service alone', env: { WORKER: '0', ...kept } },
  { name: 'worker alone', args: ['deliver'] },
  { name: 'worker alone', args: ['deliver'] },
];

interface ProcessTrial extends Omit<Trial, 'kills' | 'killAll'> {
  /** Main file of the earlier release that runs at the start and at the end. Absent: the processes run this release. */
  readonly earlier?: string | undefined;
  /** Ends processes while the readings are sent. */
  readonly disturb: (load: Load, actions: Actions) => Promise<unknown>;
}

/**
 * Kills or replaces two services and two workers on one database. The readings of a session go to both services at the same
 * time, and the receiver of the events fails at random. Returns the measurements: the processes must behave like one.
 */
export function endureProcesses(trial: ProcessTrial): Promise<Row[][]> {
  const { title, databaseUrl, sessions, seed, earlier, disturb } = trial;
  const random = seededRandom(seed);
  const env = earlier === undefined ? {} : additionsEnv;
  const own = members.map((member) => ({ ...member, env: { ...member.env, ...env } }));
  const options = { databaseUrl, account: 'processes', members: own, file: earlier };
  return withProcesses(options, ({ fleet, urls, key }) => {
    const killed: Record<string, number> = {};
    const killOne = async () => {
      const name = await fleet.killOne(random);
      killed[name] = (killed[name] ?? 0) + 1;
      return name;
    };
    let balanced = urls;
    const replaceAll = async (file: string) => {
      for (const index of members.keys()) {
        balanced = urls.filter((_, at) => at !== index);
        if (index < urls.length) await sleep(outMs);
        await fleet.replace(index, file);
        balanced = urls;
      }
    };
    let additions: Awaited<ReturnType<typeof useAdditions>> | undefined;
    const add = async () => void (additions = await useAdditions(databaseUrl, () => balanced));
    return endure(
      {
        ...{ databaseUrl, urls: () => balanced, key, random, isResent: true, isSpread: true, pauseMs, drainMs },
        isReceiverUnreliable: true,
        senders: Array.from({ length: sessions }, (_, index) => spread(`spread-${index}`, urls.length, random)),
        disturb: (load) => disturb(load, { killOne, replaceAll, add }),
        recover: fleet.ready,
      },
      async ({ sent, acknowledged, failed }, events, after) => {
        const equals = earlier === undefined ? isDeepStrictEqual : agrees;
        const faults = judgeReadings(sent, await show(sent, urls, key), equals);
        const readings: Row[] = [
          { what: `${title}: readings acknowledged`, found: acknowledged },
          { what: '  missing in an export', found: await countLost(urls[0] ?? '', key, sent), allowed: 0 },
          ...faultNames.map((name) => ({ what: `  ${faultTitles[name]}`, found: faults[name], allowed: 0 })),
          { what: 'requests sent again', found: sumOf(failed) },
          ...rowsOfCounts(failed),
        ];
        if (earlier !== undefined) {
          const refused = Object.fromEntries(Object.entries(failed).filter(([why]) => why.startsWith('status 5')));
          readings.push({ what: '5xx responses', found: sumOf(refused), allowed: 0 });
          readings.push(...((await additions?.judgeEarlier(urls[0] ?? '')) ?? []));
          await replaceAll('dist/main.js');
          const found = await countLost(urls[0] ?? '', key, sent);
          readings.push({ what: 'missing after another upgrade', found, allowed: 0 });
          readings.push(...((await additions?.finish(urls[0] ?? '')) ?? []));
        }
        const deliveries: Row[] = [
          { what: 'deliveries queued when the kills ended', found: after.queued },
          { what: 'requests at the receiver', found: after.receiver.arrivals.length },
          ...rowsOfCounts(Object.fromEntries(after.receiver.faults)),
          ...(await retryAll(after)),
        ];
        const processes: Row[] = [
          { what: 'kill -9', found: sumOf(killed) },
          ...rowsOfCounts(killed),
          { what: 'processes that ended unexpectedly', found: fleet.deaths().length, allowed: 0 },
        ];
        return [readings, rowsOfEvents(events), deliveries, processes];
      },
    );
  });
}

/**
 * Returns a sender of readings that alternate between calm and hostile, for a load that is spread over `services`. In each
 * round, every service gets a reading of the same session at the same time. In every `sameEvery`-th round, all services
 * get the same reading. The next round sends each reading again, to another service. The services require `storyEnv`.
 *
 * All readings contain the same kinds of signals. A late reading is therefore the newest for no signal and changes
 * nothing.
 */
function spread(name: string, services: number, random: () => number): Sender {
  let round: Submission[] = [];
  return (count) => {
    if (count % 2 === 1) return round.map((_, at) => round[(at + 1) % services] as Submission);
    const turn = count / 2;
    const { session_id, timestamp: first } = chapterOf(name, turn);
    const scene = scenes.at(turn % 2 === 0 ? 0 : -1) as Scene;
    const readings = Array.from({ length: services }, (_, index) => {
      const timestamp = new Date(Date.parse(first) + index).toISOString();
      return { session_id, timestamp, ...draw(scene, random) };
    });
    round = turn % sameEvery === sameEvery - 1 ? readings.map(() => readings[0] as Submission) : readings;
    return round;
  };
}

/**
 * Reads the state and history of every session from every process. What differs is read again, because the age of a reading
 * counts, and one process may respond a moment later.
 */
async function show(sent: SentReadings, urls: readonly string[], key: string): Promise<Map<string, Shown>> {
  const requests = urls.map((url) => createRequest(url, key));
  const shown = new Map<string, Shown>();
  for (const session of sent.keys()) {
    const ask = async <T>(path: string, triesLeft = 2): Promise<T[]> => {
      const responses = await Promise.all(requests.map((request) => request<T>(path)));
      return isOneEach(responses) || triesLeft === 0 ? responses : ask<T>(path, triesLeft - 1);
    };
    const histories = await ask<Schema<'History'>>(`/v1/history?session_id=${session}&minutes=60`);
    shown.set(session, { histories, states: await ask<StateReading>(`/v1/state?session_id=${session}`) });
  }
  return shown;
}

/** Retries the failed deliveries when the receiver is healthy again. All of them must arrive. */
async function retryAll({ client, webhook, receiver, failed, drain }: Aftermath): Promise<Row[]> {
  receiver.recover();
  const before = receiver.accepted.length;
  const { count } = await client.retry(webhook.id);
  await drain(retryMs);
  const arrived = new Set(receiver.accepted.slice(before).map(({ id }) => id));
  const found = failed.filter(({ id }) => arrived.has(id)).length;
  return [
    { what: 'failed deliveries retried', found: count },
    { what: '  arrived', found, allowed: [count, count] },
  ];
}
