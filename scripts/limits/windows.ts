import type { Answered } from './load.js';

/** What passed and what was refused in one window of a name. */
export interface Window {
  readonly name: string;
  /** When it ends, epoch ms, to about a second. */
  readonly endsAtMs: number;
  passed: number;
  refused: number;
}

/** Windows of one name follow each other by a minute, so ends that are nearer than half of it are one. */
const sameMs = 30_000;

/**
 * Sorts answers into windows by their name and by the end that the answer names. What passed is counted here; of the
 * service's word only the time is taken.
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
  if (seconds === undefined) throw new Error(`an answer does not say how long its window lasts: ${rateLimit}`);
  return Number(seconds);
}

/** Those that refused something, and so met their end. */
export function fullOf(windows: readonly Window[]): Window[] {
  return windows.filter(({ refused }) => refused > 0);
}

/** Those that let more through than the quota, or refused before that was used up. */
export function wrongOf(windows: readonly Window[], quota: number): Window[] {
  return windows.filter(({ passed, refused }) => passed > quota || (refused > 0 && passed !== quota));
}

/** How many requests they let through: one number, or the least and the most. */
export function rangeOf(windows: readonly Window[]): string {
  const passed = windows.map((it) => it.passed).sort((a, b) => a - b);
  const [least, most] = [passed[0] ?? 0, passed.at(-1) ?? 0];
  return least === most ? String(most) : `${least} to ${most}`;
}
