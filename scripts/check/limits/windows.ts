import type { Answered } from './load.js';

/** Numbers of admitted and rejected requests in one window of a name. */
export interface Window {
  readonly name: string;
  /** End of the window, epoch ms, accurate to about a second. */
  readonly endsAtMs: number;
  passed: number;
  refused: number;
}

/** Maximum difference between the reported ends of one window, ms. Windows of one name are one minute apart. */
const sameMs = 30_000;

/**
 * Groups responses into windows by name and reported end of the window. Takes only the end from the service. Counts the
 * admitted requests itself.
 */
export function windowsOf(answers: readonly Answered[], nameOf: (answer: Answered) => string): Window[] {
  const byName = new Map<string, Window[]>();
  for (const answer of [...answers].sort((a, b) => a.atMs - b.atMs)) {
    const name = nameOf(answer);
    const windows = byName.get(name) ?? [];
    byName.set(name, windows);
    const endsAtMs = answer.atMs + secondsLeftOf(answer) * 1000;
    let window = windows.find((it) => Math.abs(it.endsAtMs - endsAtMs) < sameMs);
    if (!window) windows.push((window = { name, endsAtMs, passed: 0, refused: 0 }));
    if (answer.status === 429) window.refused += 1;
    else window.passed += 1;
  }
  return [...byName.values()].flat();
}

function secondsLeftOf({ rateLimit }: Answered): number {
  const [, seconds] = /"session";r=\d+;t=(\d+)/.exec(rateLimit) ?? [];
  if (seconds === undefined) throw new Error(`a response does not state the end of its window: ${rateLimit}`);
  return Number(seconds);
}

/** Returns the windows that rejected a request. Their quota was used up. */
export function fullOf(windows: readonly Window[]): Window[] {
  return windows.filter(({ refused }) => refused > 0);
}

/**
 * Returns the windows that admitted more requests than the quota, or rejected a request before the quota was used up.
 */
export function wrongOf(windows: readonly Window[], quota: number): Window[] {
  return windows.filter(({ passed, refused }) => passed > quota || (refused > 0 && passed !== quota));
}

/** Formats the numbers of admitted requests: one number if all are equal, otherwise minimum and maximum. */
export function rangeOf(windows: readonly Window[]): string {
  const passed = windows.map((it) => it.passed).sort((a, b) => a - b);
  const [least, most] = [passed[0] ?? 0, passed.at(-1) ?? 0];
  return least === most ? String(most) : `${least} to ${most}`;
}
