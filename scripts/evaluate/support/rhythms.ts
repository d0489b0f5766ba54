/** A person's beats, as a breathing rhythm with a slow drift and noise. */
export interface Rhythm {
  readonly name: string;
  readonly bpm: number;
  /** Amplitude of the breathing rhythm, ms. */
  readonly breathingMs: number;
  readonly noiseMs: number;
}

export const rhythms: readonly Rhythm[] = [
  { name: 'at rest', bpm: 62, breathingMs: 45, noiseMs: 12 },
  { name: 'athlete', bpm: 48, breathingMs: 90, noiseMs: 20 },
  { name: 'stressed', bpm: 95, breathingMs: 12, noiseMs: 5 },
  { name: 'young, deep breathing', bpm: 58, breathingMs: 170, noiseMs: 25 },
];

const breathMs = 4_000;
const drift = { kept: 0.97, share: 0.12 };

/** Returns intervals in ms. */
export function drawIntervals({ bpm, breathingMs, noiseMs }: Rhythm, count: number, random: () => number): number[] {
  let [atMs, slow] = [0, 0];
  return Array.from({ length: count }, () => {
    slow = drift.kept * slow + drift.share * breathingMs * normal(random);
    const breath = breathingMs * Math.sin((2 * Math.PI * atMs) / breathMs);
    const interval = Math.round(60_000 / bpm + breath + slow + noiseMs * normal(random));
    atMs += interval;
    return interval;
  });
}

/** Makes a share of the beats early, at 55 to 80 % of their interval. The pause after an early beat compensates. */
export function injectEctopics(clean: readonly number[], share: number, random: () => number): number[] {
  const intervals = [...clean];
  for (let index = 0; index + 1 < intervals.length; index += 1) {
    if (random() >= share) continue;
    const [one = 0, next = 0] = intervals.slice(index, index + 2);
    const early = Math.round(one * (0.55 + 0.25 * random()));
    intervals.splice(index, 2, early, one + next - early);
    index += 1;
  }
  return intervals;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
