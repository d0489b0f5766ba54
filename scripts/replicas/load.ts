import { setTimeout as sleep } from 'node:timers/promises';
import type { StateReading } from '../../src/contract.js';
import { trySend } from '../chaos/load.js';
import { draw, type Scene, scenes } from '../terminal/scenes.js';

/** A reading, with the answer to each time that it was sent. */
export interface Sent {
  readonly timestamp: string;
  readonly body: string;
  readonly answers: StateReading[];
}

/** By session, in order of their instants; no two of a session are of one. */
export type SentReadings = ReadonlyMap<string, readonly Sent[]>;

export interface LoadWish {
  /** Services on one database. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly sessions: number;
  /** Of each session. */
  readonly readings: number;
  readonly random: () => number;
  readonly onReading: () => void;
}

/** Every so manieth turn of a session is one reading for all services instead of one for each. */
const sameEvery = 4;
const triesMax = 50;
const afterFailureMs = 100;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Sessions that swing between calm and hostile. In each turn every service gets a reading at once: each another one of
 * the same session or, now and then, all the very same. All carry the same signals, so that one which comes after a
 * later one is newest for none and moves nothing.
 */
export async function sendReadings(wish: LoadWish): Promise<SentReadings> {
  const names = Array.from({ length: wish.sessions }, (_, index) => `replicas-${index}`);
  const lives = await Promise.all(names.map(async (name) => [name, await live(name, wish)] as const));
  return new Map(lives);
}

async function live(session_id: string, { urls, key, readings, random, onReading }: LoadWish): Promise<Sent[]> {
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

/** Sends everything once more, to another service than its first. */
export async function resend(sent: SentReadings, urls: readonly string[], key: string): Promise<void> {
  await Promise.all(
    [...sent.values()].map(async (readings) => {
      for (const [index, { body, answers }] of readings.entries())
        answers.push(await send(urls[(index + 1) % urls.length] ?? '', key, body));
    }),
  );
}

/** The same again until it is answered. */
async function send(url: string, key: string, body: string): Promise<StateReading> {
  let answer: StateReading | string = '';
  for (let tries = 0; tries < triesMax; tries += 1) {
    answer = await trySend(`${url}/v1/ingest`, key, body);
    if (typeof answer !== 'string') return answer;
    await sleep(afterFailureMs);
  }
  throw new Error(`a reading was not acknowledged after ${triesMax} tries: ${String(answer)}`);
}
