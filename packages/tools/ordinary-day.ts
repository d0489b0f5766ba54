import type { Submission } from '../client/src/index.js';

export interface TimeOfDay {
  /** Hour of the day with its fraction, 0 to 24. */
  readonly hour: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** Heart rate at night. */
  readonly nightBpm: number;
  /** Default: two hours of a working day are tense. */
  readonly isTense?: boolean;
}

/** Returns what a wristband measures at a time of an ordinary day. Undefined while it charges. */
export function measureDay(
  { hour, weekday, nightBpm, isTense = isTenseHour(hour, weekday) }: TimeOfDay,
  random: () => number,
): Partial<Submission> | undefined {
  const above = (bpm: number, spread: number) => Math.round((nightBpm + bpm + (random() * 2 - 1) * spread) * 10) / 10;
  if (hour >= 20 && hour < 21) return undefined;
  if (hour < 5.5 || hour >= 22) return { heart_rate: above(0, 3) };
  if (hour >= 17 && hour < 18 && weekday % 2 === 1) return { heart_rate: above(84, 12), activity_level: 'vigorous' };
  if (isTense) return { heart_rate: above(44, 8), tone: 'tense', sentiment: -0.5 };
  return { heart_rate: above(16, 7) };
}

function isTenseHour(hour: number, weekday: number): boolean {
  return [10, 14 + (weekday % 3)].includes(Math.floor(hour)) && weekday % 6 !== 0;
}
