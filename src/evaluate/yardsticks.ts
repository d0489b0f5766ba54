import type { RecordedWindow } from '../recordings/recorded-window.js';
import type { AnsweredScore } from './variants.js';

/** A score from heart rate alone, computed without the service, for comparison. */
export interface Yardstick {
  readonly name: string;
  readonly note: string;
  score(windows: readonly RecordedWindow[]): AnsweredScore[];
}

const typicalBpm = 70;
/** Weight of the typical heart rate, as a number of windows. */
const typicalWeight = 0.5;

export const yardsticks: readonly Yardstick[] = [
  {
    name: 'comparison: raw heart rate',
    note: 'bpm as recorded',
    score: (windows) => heartRatesOf(windows).map(({ window, bpm }) => ({ window, score: bpm })),
  },
  {
    name: 'comparison: running mean',
    note: `bpm above the mean of the earlier windows and ${typicalWeight} window of ${typicalBpm} bpm`,
    score(windows) {
      let sum = typicalWeight * typicalBpm;
      let weight = typicalWeight;
      return heartRatesOf(windows).map(({ window, bpm }) => {
        const score = bpm - sum / weight;
        sum += bpm;
        weight += 1;
        return { window, score };
      });
    },
  },
];

function heartRatesOf(windows: readonly RecordedWindow[]): { window: RecordedWindow; bpm: number }[] {
  return windows.flatMap((window) =>
    window.values.heart_rate === undefined ? [] : [{ window, bpm: window.values.heart_rate }],
  );
}
