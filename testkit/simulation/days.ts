import type { StateReading } from '../../src/contract/contract.js';
import { mean } from '../../packages/tools/evaluate/figures/statistics.js';
import type { Minute, Wearer } from '../../packages/tools/evaluate/protocol/wearers.js';
import { backfill } from '../../packages/tools/evaluate/scores/replay.js';
import type { EvaluatedService } from '../../packages/tools/evaluate/scores/service.js';
import { groupBy } from '../../packages/tools/group-by.js';
import { clampToContract } from '../../packages/recordings/signals.js';

export * from '../../packages/tools/evaluate/protocol/wearers.js';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** A minute with its published score and state. */
export type Judged = Minute & Pick<StateReading, 'stress_score' | 'state' | 'confidence' | 'evidence'>;

/** Backfills all people, each with their own session and subject. Returns the responses per person. */
export async function replayWearers(
  service: EvaluatedService,
  wearers: readonly Wearer[],
  run: string,
  onMinute: () => void,
): Promise<Judged[][]> {
  const histories = wearers.map(({ person, minutes }) => ({ id: `${run}-${person}`, readings: minutes }));
  const answers = await backfill(service, histories, ({ heartRate }) => ({ heart_rate: heartRate }), onMinute);
  return answers.map((its) =>
    its.map(({ reading, answer: { stress_score, state, confidence } }) => {
      return { ...reading, stress_score, state, confidence };
    }),
  );
}

const riseMinutes = 20;
const riseBpm = 25;
/** A rise must reach its state within this time, min. */
const onsetMinutes = 10;

/** Distance from the median of the day up to which a heart rate is near it, bpm. */
const nearBpm = 5;

/**
 * Adds a rise of 25 bpm to the steadiest 20 consecutive minutes of each day after the first, awake. With `isNearMedian`,
 * only minutes whose mean is near the median of the day qualify. Returns the start of each rise, as an index.
 */
export function injectRises({ person, minutes }: Wearer, isNearMedian: boolean): { wearer: Wearer; starts: number[] } {
  const starts = findSteadiest(minutes, isNearMedian);
  const raised = new Set(starts.flatMap((start) => Array.from({ length: riseMinutes }, (_, index) => start + index)));
  const raise = (it: Minute, index: number) =>
    raised.has(index) ? { ...it, heartRate: clampToContract('heart_rate', it.heartRate + riseBpm) } : it;
  return { wearer: { person, minutes: minutes.map(raise) }, starts };
}

/** Returns true if a rise is published as stressed within ten minutes. */
export function isRiseSeen(judged: readonly Judged[], start: number): boolean {
  return judged.slice(start, start + onsetMinutes + 1).some(isStressed);
}

function findSteadiest(minutes: readonly Minute[], isNearMedian: boolean): number[] {
  const medians = medianByDay(minutes);
  const steadiest = new Map<number, { start: number; variance: number }>();
  minutes.forEach(({ atMs }, start) => {
    const window = minutes.slice(start, start + riseMinutes);
    const last = window.at(-1) as Minute;
    const isWhole = last.atMs - atMs === (riseMinutes - 1) * minuteMs;
    if (!isWhole || isFirstDay(minutes, atMs) || !isAwake(atMs) || !isAwake(last.atMs)) return;
    const rates = window.map(({ heartRate }) => heartRate);
    const day = Math.floor(atMs / dayMs);
    if (isNearMedian && Math.abs(mean(rates) - (medians.get(day) ?? 0)) > nearBpm) return;
    const variance = varianceOf(rates);
    if (variance < (steadiest.get(day)?.variance ?? Infinity)) steadiest.set(day, { start, variance });
  });
  return [...steadiest.values()].map(({ start }) => start);
}

/** Returns the median heart rate of each day's awake time, bpm. */
function medianByDay(minutes: readonly Minute[]): Map<number, number> {
  const awake = groupBy(
    minutes.filter(({ atMs }) => isAwake(atMs)),
    ({ atMs }) => Math.floor(atMs / dayMs),
  );
  const medianOf = (its: readonly Minute[]) => {
    const ascending = its.map(({ heartRate }) => heartRate).sort((a, b) => a - b);
    return ascending[Math.floor(ascending.length / 2)] ?? 0;
  };
  return new Map([...awake].map(([day, its]) => [day, medianOf(its)]));
}

function varianceOf(values: readonly number[]): number {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
}

const hourOf = (atMs: number) => (atMs % dayMs) / (60 * minuteMs);

/** Returns true from 9 to 21 h. */
export function isAwake(atMs: number): boolean {
  return hourOf(atMs) >= 9 && hourOf(atMs) < 21;
}

/** Returns true from 1 to 5 h. */
export function isNight(atMs: number): boolean {
  return hourOf(atMs) >= 1 && hourOf(atMs) < 5;
}

/** Returns true for the first 24 hours of a recording. */
export function isFirstDay(minutes: readonly Minute[], atMs: number): boolean {
  return atMs - (minutes[0]?.atMs ?? 0) < dayMs;
}

/** A state without evidence is unknown, although the response repeats the previous one. */
export function isStressed({ state, evidence }: Pick<Judged, 'state' | 'evidence'>): boolean {
  return evidence === undefined && (state === 'stressed' || state === 'acute_stress');
}
