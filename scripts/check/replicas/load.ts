import { setTimeout as sleep } from 'node:timers/promises';
import type { StateReading } from '../../../src/contract.js';
import { trySend } from '../webhooks/load.js';
import { draw, type Scene, scenes } from '../../../src/terminal/scenes.js';

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
  readonly sessions: number;
  /** Number of readings per session. */
  readonly readings: number;
  readonly random: () => number;
  readonly onReading: () => void;
}

/** In one of this many rounds, all services get the same reading instead of different ones. */
const sameEvery = 4;
const triesMax = 50;
const afterFailureMs = 100;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Sends readings of sessions that alternate between calm and hostile. In each round, all services get a reading of the
 * session at the same time, usually different readings, sometimes the same reading.
 *
 * All readings contain the same kinds of signals. A late reading is therefore the newest for no signal and changes
 * nothing.
 */
export async function sendReadings(options: LoadOptions): Promise<SentReadings> {
  const names = Array.from({ length: options.sessions }, (_, index) => `replicas-${index}`);
  const lives = await Promise.all(names.map(async (name) => [name, await live(name, options)] as const));
  return new Map(lives);
}

async function live(session_id: string, { urls, key, readings, random, onReading }: LoadOptions): Promise<Sent[]> {
  const sent: Sent[] = [];
  let lastMs = 0;
  const next = (scene: Scene): Sent => {
    lastMs = Math.max(Date.now(), lastMs + 1);
    const timestamp = new Date(lastMs).toISOString();
    const one = { timestamp, body: JSON.stringify({ session_id, timestamp, ...draw(scene, random) }), answers: [] };
    sent.push(one);
    return one;
  };
  for (let turn = 0; sent.length < readings; turn += 1) {
    const scene = turn % 2 === 0 ? calm : hostile;
    const same = turn % sameEvery === sameEvery - 1 ? next(scene) : undefined;
    const left = readings - sent.length + (same ? 1 : 0);
    const mine = urls.slice(0, same ? urls.length : left).map((url) => [url, same ?? next(scene)] as const);
    await Promise.all(mine.map(async ([url, one]) => one.answers.push(await send(url, key, one.body))));
    for (const _ of new Set(mine.map(([, one]) => one))) onReading();
  }
  return sent;
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
