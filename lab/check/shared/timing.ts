import { setTimeout as sleep } from 'node:timers/promises';
import { readUsage } from '../../../testkit/program.js';

/** Returns the duration of the work, ms. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await work();
  return performance.now() - startedAtMs;
}

/** Repeats a request until the work ends. Returns the durations, ms, without those of requests that resolve with false. */
export async function timeDuring(
  work: Promise<unknown>,
  pauseMs: number,
  send: () => Promise<unknown>,
): Promise<number[]> {
  let isOver = false;
  const ended = work.finally(() => (isOver = true));
  // Reported by the `await` below.
  ended.catch(() => undefined);
  const timesMs: number[] = [];
  for (; !isOver; await sleep(pauseMs)) {
    const startedAtMs = performance.now();
    if ((await send()) !== false) timesMs.push(performance.now() - startedAtMs);
  }
  await ended;
  return timesMs;
}

const lookMs = 20;

/** Runs the work. Returns its result and the largest resident memory of a process meanwhile, MB. */
export async function watchMemory<T>(pid: number, work: () => Promise<T>): Promise<[result: T, mostMb: number]> {
  let mostMb = 0;
  const timer = setInterval(() => (mostMb = Math.max(mostMb, readUsage(pid).residentMb || 0)), lookMs);
  return [await work().finally(() => clearInterval(timer)), mostMb];
}

const tickMs = 2;

/** Sends at a constant rate. A slow response does not delay the next request. Resolves when all have ended. */
export async function sendAtRate(
  perSecond: number,
  total: number,
  send: (index: number) => Promise<unknown>,
): Promise<void> {
  const sending: Array<Promise<unknown>> = [];
  const startedAtMs = performance.now();
  for (let sent = 0; sent < total; await sleep(tickMs)) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000));
    for (; sent < due; sent += 1) sending.push(send(sent));
  }
  await Promise.all(sending);
}
