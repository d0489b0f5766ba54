import type { Minute, Share } from './minutes.js';

/** A shorter pause of a device is no gap, in minutes. Nor is one up to this multiple of its usual pause. */
const [gapMin, usualPauses] = [10, 3];
/** Fewer gaps, or fewer equal values after them, show nothing. */
const [gapsMin, equalMin] = [6, 3];
/** After gaps, the value must be this many times as frequent as elsewhere. */
const excess = 3;

/** The heart rate of a minute that stands for no measurement. */
export interface Placeholder {
  readonly value: number;
  readonly minute: Minute;
  readonly share: Share;
  readonly note: string;
}

interface Rate {
  readonly key: number;
  readonly value: number;
  readonly minute: Minute;
  readonly share: Share;
}

/**
 * Returns the minutes with which devices fill the begin of a measurement: one value that more than a third of the first
 * minutes after gaps have, and that is rare in others. Fitbit writes 70 bpm so.
 */
export function findPlaceholders(minutes: ReadonlyMap<number, Minute>): Placeholder[] {
  const bySource = new Map<Share['source'], Rate[]>();
  for (const [key, minute] of minutes)
    for (const share of minute.shares) {
      const { sum = 0, count = 0 } = share.sums.get('heart_rate') ?? {};
      if (count === 0) continue;
      const rates = bySource.get(share.source) ?? [];
      bySource.set(share.source, rates);
      rates.push({ key, value: sum / count, minute, share });
    }
  return [...bySource.values()].flatMap(findOfSource);
}

function findOfSource(rates: Rate[]): Placeholder[] {
  if (rates.length < gapsMin) return [];
  rates.sort((a, b) => a.key - b.key);
  const pauses = rates.map(({ key }, at) => key - (rates[at - 1]?.key ?? Number.NEGATIVE_INFINITY));
  const usual = pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length / 2)] ?? 1;
  const isFirst = (_: Rate, at: number) => (pauses[at] ?? 0) > Math.max(gapMin, usualPauses * usual);
  const firsts = rates.filter(isFirst);
  if (firsts.length < gapsMin) return [];
  const value = findMostFrequent(firsts);
  const isEqual = (it: Rate) => it.value === value;
  const [equal, all] = [firsts.filter(isEqual), rates.filter(isEqual).length];
  const elsewhere = (all - equal.length) / Math.max(1, rates.length - firsts.length);
  const isOften = equal.length >= equalMin && equal.length * 3 > firsts.length;
  if (!isOften || equal.length / firsts.length < excess * elsewhere) return [];
  const note = `placeholder: ${value} bpm in ${equal.length} of ${firsts.length} first minutes after gaps`;
  return equal.map(({ minute, share }) => ({ value, minute, share, note }));
}

function findMostFrequent(rates: readonly Rate[]): number {
  const counts = new Map<number, number>();
  for (const { value } of rates) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? Number.NaN;
}
