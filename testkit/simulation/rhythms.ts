/** A person's beats, as a breathing rhythm with a slow drift and noise. */
export interface Rhythm {
  readonly name: string;
  readonly bpm: number;
  /** Duration of a breath, ms. */
  readonly breathMs: number;
  /** Amplitude of the breathing rhythm, ms. */
  readonly breathingMs: number;
  readonly noiseMs: number;
}

const usual = { breathMs: 4_000 };
const slow = { breathMs: 10_000 };

export const rhythms: readonly Rhythm[] = [
  { name: 'at rest', bpm: 62, ...usual, breathingMs: 45, noiseMs: 12 },
  { name: 'athlete', bpm: 48, ...usual, breathingMs: 90, noiseMs: 20 },
  { name: 'stressed', bpm: 95, ...usual, breathingMs: 12, noiseMs: 5 },
  { name: 'young, deep breathing', bpm: 58, ...usual, breathingMs: 170, noiseMs: 25 },
  { name: 'slow breathing', bpm: 62, ...slow, breathingMs: 60, noiseMs: 12 },
  { name: 'slow, deep breathing', bpm: 60, ...slow, breathingMs: 150, noiseMs: 15 },
];

const drift = { kept: 0.97, share: 0.12 };

/** Returns intervals in ms. */
export function drawIntervals(
  { bpm, breathMs, breathingMs, noiseMs }: Rhythm,
  count: number,
  random: () => number,
): number[] {
  let [atMs, slow] = [0, 0];
  return Array.from({ length: count }, () => {
    slow = drift.kept * slow + drift.share * breathingMs * normal(random);
    const breath = breathingMs * Math.sin((2 * Math.PI * atMs) / breathMs);
    const interval = Math.round(60_000 / bpm + breath + slow + noiseMs * normal(random));
    atMs += interval;
    return interval;
  });
}

/** Changes the intervals before and after a share of the beats. */
type Disturb = (clean: readonly number[], share: number, random: () => number) => number[];

/** Makes beats early, at 55 to 80 % of their interval. The pause after an early beat compensates. */
export const addEctopics: Disturb = (clean, share, random) =>
  movePeaks(clean, share, random, (interval) => -interval * (0.45 - 0.25 * random()));

/** Detects peaks 80 to 160 ms early or late. */
export const shiftPeaks: Disturb = (clean, share, random) =>
  movePeaks(clean, share, random, () => (random() < 0.5 ? -1 : 1) * (80 + 80 * random()));

/** Returns intervals without a rhythm: each is independent, with a relative standard deviation. */
export function drawRandomIntervals(meanMs: number, deviation: number, count: number, random: () => number): number[] {
  return Array.from({ length: count }, () =>
    Math.min(2_500, Math.max(250, Math.round(meanMs * Math.exp(deviation * normal(random))))),
  );
}

/** Moves the peaks at the end of a share of the intervals by `draw(interval)` ms. */
function movePeaks(
  clean: readonly number[],
  share: number,
  random: () => number,
  draw: (interval: number) => number,
): number[] {
  const intervals = [...clean];
  for (let index = 0; index + 1 < intervals.length; index += 1) {
    if (random() >= share) continue;
    const [one = 0, next = 0] = intervals.slice(index, index + 2);
    const by = Math.round(draw(one));
    intervals.splice(index, 2, one + by, next - by);
    index += 1;
  }
  return intervals;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
