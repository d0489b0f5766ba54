import type { RecordedWindow } from '../../packages/tools/recordings/recorded-window.js';
import type { HeartStream } from './stream.js';

const windowSeconds = 60;
const every = 5;
/**
 * Standard deviation of optical heart rates within a minute, and correlation between consecutive readings. Both are
 * means over 21 people of Stress-Predict.
 */
const deviationBpm = 3.4;
const correlation = 0.75;

/** Returns a stream with a reading every 5 s. The readings vary around the recorded means of one person's minutes. */
export function withWristNoise(windows: readonly RecordedWindow[], random: () => number): HeartStream {
  // A uniform number between -√3 and √3 has a standard deviation of 1.
  const draw = () => Math.sqrt(3) * (2 * random() - 1);
  let noise = deviationBpm * draw();
  const rows = windows.flatMap(({ values, label }, minute) =>
    Array.from({ length: windowSeconds / every }, (_, index) => {
      noise = correlation * noise + Math.sqrt(1 - correlation ** 2) * deviationBpm * draw();
      const heartRate = Math.round(10 * ((values.heart_rate ?? 0) + noise)) / 10;
      return { second: minute * windowSeconds + index * every, heartRate, isStressor: label === 'stressor' };
    }),
  );
  return { subject: windows[0]?.subject ?? '', rows };
}
