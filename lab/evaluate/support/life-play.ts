import { type Score, toScore } from '../../../packages/tools/evaluate/figures/figures.js';
import type { Row } from '../../../packages/tools/evaluate/protocol/rows.js';
import type { Wearer } from '../../../packages/tools/evaluate/protocol/wearers.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { backfillSession } from '../../../packages/score/session.js';
import type { Reading } from '../../../packages/score/signals.js';
import { findBand } from '../../../packages/score/states.js';
import { claims } from '../../../testkit/simulation/everyday-claims.js';
import { advanceEach } from '../../../testkit/simulation/sessions.js';
import { heldBefore } from './life-before.js';

/** A row with its published state. */
export interface Lived extends Score {
  readonly row: Row;
  readonly state: ReturnType<typeof findBand>['state'];
  readonly confidence: number;
}

const startMs = Date.UTC(2026, 0, 5, 9);

const toReading = (second: number, signals: object): Reading => ({
  ...{ ...signals, atMs: startMs + second * 1000, subjectId: 'person' },
});

export function groupPeople(rows: readonly Row[]): Row[][] {
  return [...groupBy(rows, ({ group }) => group).values()];
}

/** Plays the rows of one person in one session. */
export function playPerson(rows: readonly Row[]): Lived[] {
  const readings = rows.map(({ window: { second = 0, values } }) => toReading(second, values));
  return Array.from(advanceEach(readings), ({ computed: { score, confidence } }, at) => {
    return { row: rows[at] as Row, ...toScore(score), state: findBand(score).state, confidence };
  });
}

/** Plays each row in a session of its own, without a person. */
export function playCold(rows: readonly Row[]): Lived[] {
  return rows.flatMap((it) => playPerson([it]));
}

/** Backfills the minutes of a person. Returns the scores. */
export function playDays({ minutes }: Wearer): number[] {
  const readings = minutes.map(({ atMs, heartRate }) => ({ heart_rate: heartRate, atMs, subjectId: 'person' }));
  return Array.from(advanceEach(readings, {}, backfillSession), ({ computed }) => computed.score);
}

const seeds = Array.from({ length: 10 }, (_, index) => 21 + index);

/** Returns one row per everyday stream: in how many of ten seeds its claim holds. */
export function claimRows(): TableRow[] {
  return claims.map(({ stream, expected, readings: draw, holds }) => {
    const held = seeds.filter((seed) => {
      const readings = draw(seededRandom(seed));
      const steps = advanceEach(readings.map(({ second, ...signals }) => toReading(second, signals)));
      const responses = Array.from(steps, ({ computed: { score, confidence, reason } }, at) => {
        const { second = 0 } = readings[at] ?? {};
        return { second, stress_score: score, state: findBand(score).state, confidence, action_reason: reason };
      });
      return holds(responses);
    });
    const earlier = heldBefore[stream] ?? seeds.length;
    return [`${stream}: ${expected}`, `${seeds.length}`, `${earlier}`, `${held.length}`];
  });
}
