import { drawTimeline, spansOf } from '../../charts/timeline.js';
import { isNight, type Judged, meanOf } from '../../../testkit/simulation/days.js';
import type { StreamResponse } from '../../../testkit/simulation/everyday-claims.js';
import type { HeartStream } from '../../../testkit/simulation/stream.js';

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

const weekSeconds = 7 * 86_400;
const binSeconds = 15 * 60;

/** Returns an SVG of the first seven days of a person: means of the heart rate over 15 minutes, score and states. */
export function drawWeek(person: string, judged: readonly Judged[]): string {
  const startMs = judged[0]?.atMs ?? 0;
  const bins = Array.from({ length: weekSeconds / binSeconds }, (_, index) => {
    const fromMs = startMs + index * binSeconds * 1000;
    const its = judged.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + binSeconds * 1000);
    return { second: index * binSeconds, fromMs, its };
  });
  const points = bins.flatMap(({ second, its }, index) => {
    const last =
      its.at(-1) ??
      bins
        .slice(0, index)
        .findLast((bin) => bin.its.length > 0)
        ?.its.at(-1);
    const heartRate = its.length > 0 ? meanOf(its.map((it) => it.heartRate)) : undefined;
    return last ? [{ second, heartRate, score: last.stress_score, state: last.state }] : [];
  });
  return drawTimeline({
    title: 'One week: heart rate, published score and states',
    subtitle: `Wearer ${person}, 15-minute means from crowd-sourced Fitbit data (Furberg et al. 2016, Zenodo 53894, CC BY 4.0)`,
    points,
    shaded: spansOf(bins, ({ fromMs }) => isNight(fromMs)),
    shadedAs: '1 to 5 h',
  });
}
