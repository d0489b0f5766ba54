import type { Row } from '../../../testkit/verdict.js';
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

/**
 * Returns the measurements of windows that all processes share. Each window whose quota was used up must admit exactly
 * the quota.
 */
export function rowsOfShared(windows: readonly Window[], quota: number): Row[] {
  const full = windows.filter(({ refused }) => refused > 0);
  const wrong = windows.filter(({ passed, refused }) => passed > quota || (refused > 0 && passed !== quota));
  return [
    { what: 'rate limit windows whose quota was used up', found: full.length, allowed: [1, Infinity] },
    { what: '  admitted requests per window', found: rangeOf(full), allowed: [quota, quota] },
    { what: '  windows that admitted more or fewer requests', found: wrong.length, allowed: 0 },
  ];
}

/** Returns the highest number of admitted requests. */
export function mostOf(windows: readonly Window[]): number {
  return windows.reduce((most, { passed }) => Math.max(most, passed), 0);
}

/** Formats the numbers of admitted requests: one number if all are equal, otherwise minimum and maximum. */
function rangeOf(windows: readonly Window[]): string {
  const passed = windows.map((it) => it.passed);
  const [least, most] = [Math.min(...passed), mostOf(windows)];
  return least === most ? String(most) : `${least} to ${most}`;
}
