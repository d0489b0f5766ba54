import type { Session } from '../../../packages/score/rows/session.js';
import { findBand } from '../../../packages/score/states.js';
import { advanceAll } from '../../../testkit/simulation/sessions.js';
import type { Analyzer } from './left-out.js';

/** Seconds between two turns of a conversation. */
const turnSeconds = 40;

/** Returns true if a message without other signals is stressed. */
export const isStressed = (analyzer: Analyzer, ...turns: readonly string[]): boolean =>
  ['stressed', 'acute_stress'].includes(findState(analyzer, turns));

/** Returns the state after turns without other signals. */
export function findState(analyzer: Analyzer, turns: readonly string[]): string {
  return findBand(playTurns(analyzer, turns)?.latest.score ?? 0).state;
}

export function playTurns(analyzer: Analyzer, turns: readonly string[]): Session | undefined {
  const readings = turns.map((text, turn) => {
    const { sentiment } = analyzer.analyze(text);
    return { atMs: 1000 * turnSeconds * (turn + 1), ...(sentiment !== undefined && { sentiment }) };
  });
  return advanceAll(readings).at(-1)?.session;
}
