import { setTimeout as sleep } from 'node:timers/promises';
import { chapterOf } from '../../../testkit/story.js';
import type { StateReading } from '../../../src/contract/contract.js';
import { trySend } from '../shared/load.js';
import { draw, type Scene, scenes } from '../../../packages/tools/terminal/scenes.js';

/** A reading with the response of each request that contained it. */
export interface Sent {
  readonly timestamp: string;
  readonly body: string;
  readonly answers: StateReading[];
}

/** Readings by session, in order of their distinct timestamps. */
export type SentReadings = ReadonlyMap<string, readonly Sent[]>;

export interface LoadOptions {
  /** URLs of services on one database. */
  readonly urls: readonly string[];
  readonly key: string;
  /** Number of concurrent sessions. */
  readonly sessions: number;
  /** Number of readings per concurrent session. */
  readonly readings: number;
  readonly random: () => number;
  readonly onReading: () => void;
}

/** In every n-th round, all services get the same reading instead of different ones. */
const sameEvery = 4;
const triesMax = 50;
const afterFailureMs = 100;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Sends readings that alternate between calm and hostile. In each round, all services get a reading of the same session
 * at the same time, usually different readings, sometimes the same reading. A new session starts every few rounds. The
 * services require `storyEnv`.
 *
 * All readings contain the same kinds of signals. A late reading is therefore the newest for no signal and changes
 * nothing.
 */
export async function sendReadings(options: LoadOptions): Promise<SentReadings> {
  const all = new Map<string, Sent[]>();
  const names = Array.from({ length: options.sessions }, (_, index) => `replicas-${index}`);
  await Promise.all(names.map((name) => live(name, options, all)));
  return all;
}

/** Sends the readings of one concurrent sender, session by session. Adds them to `all`. */
async function live(
  name: string,
  { urls, key, readings, random, onReading }: LoadOptions,
  all: Map<string, Sent[]>,
): Promise<void> {
  let count = 0;
  for (let turn = 0; count < readings; turn += 1) {
    const { session_id, timestamp: first } = chapterOf(name, turn);
    const next = (index: number): Sent => {
      const timestamp = new Date(Date.parse(first) + index).toISOString();
      const signals = draw(turn % 2 === 0 ? calm : hostile, random);
      return { timestamp, body: JSON.stringify({ session_id, timestamp, ...signals }), answers: [] };
    };
    const isSame = turn % sameEvery === sameEvery - 1;
    const round = urls.slice(0, isSame ? 1 : readings - count).map((_, index) => next(index));
    all.set(session_id, [...(all.get(session_id) ?? []), ...round]);
    const mine = urls.map((url, index) => [url, isSame ? round[0] : round[index]] as const);
    await Promise.all(mine.map(async ([url, one]) => one?.answers.push(await send(url, key, one.body))));
    for (const _ of round) onReading();
    count += round.length;
  }
}

/** Sends every reading again, to a different service. */
export async function resend(sent: SentReadings, urls: readonly string[], key: string): Promise<void> {
  await Promise.all(
    [...sent.values()].map(async (readings) => {
      for (const [index, { body, answers }] of readings.entries())
        answers.push(await send(urls[(index + 1) % urls.length] ?? '', key, body));
    }),
  );
}

/** Sends the request again until it gets a response. */
async function send(url: string, key: string, body: string): Promise<StateReading> {
  let answer: StateReading | string = '';
  for (let tries = 0; tries < triesMax; tries += 1) {
    answer = await trySend(`${url}/v1/ingest`, key, body);
    if (typeof answer !== 'string') return answer;
    await sleep(afterFailureMs);
  }
  throw new Error(`a reading was not acknowledged after ${triesMax} attempts: ${String(answer)}`);
}
