import { spansOf } from '../../../src/terminal/replay-timeline.js';
import { drawTimeline } from '../../../src/terminal/timeline.js';
import type { StreamResponse } from './everyday-claims.js';
import type { HeartStream } from './stream.js';

/** Returns an SVG of the heart rate of a stream, the published scores and states, and its stressors. */
export function drawStream({ rows }: HeartStream, responses: readonly StreamResponse[], subtitle: string): string {
  const heartRates = new Map(rows.map(({ second, heartRate }) => [second, heartRate]));
  return drawTimeline({
    title: 'Heart rate, published score and states',
    subtitle,
    points: responses.map(({ second, stress_score, state }) => ({
      second,
      heartRate: heartRates.get(second),
      score: stress_score,
      state,
    })),
    shaded: spansOf(rows, ({ isStressor }) => isStressor),
    shadedAs: 'stressor',
  });
}
