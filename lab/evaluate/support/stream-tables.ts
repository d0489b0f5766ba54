import { auc } from '../../../packages/tools/evaluate/statistics.js';
import type { Column, TableRow } from '../../../packages/tools/terminal/table.js';
import type { StreamResponse } from '../../../testkit/simulation/everyday-claims.js';
import {
  agreementOf,
  figuresOf,
  type HeartStream,
  scoreByRunningMean,
  scoredWindows,
  type StreamFigures,
} from '../../../testkit/simulation/stream.js';
import { figureColumns } from '../../figures.js';

export const streamColumns: readonly Column[] = [
  { title: 'person' },
  ...figureColumns('AUC', 'AUC of the running mean', 'state changes per hour', 'states shorter than a minute'),
];

/** Returns one row per person and one for all people. */
export function streamRows(streams: readonly HeartStream[], responses: readonly StreamResponse[][]): TableRow[][] {
  const figures = streams.map((stream, index) => figuresOf(stream, responses[index] ?? []));
  const sum = (key: keyof StreamFigures) => figures.reduce((total, it) => total + it[key], 0);
  const byMean = streams.map((stream, index) => scoreByRunningMean(stream, responses[index] ?? []));
  const pool = (scores: readonly (readonly StreamResponse[])[]) =>
    auc(streams.flatMap((stream, index) => scoredWindows(stream, scores[index] ?? [])));
  const all = {
    auc: pool(responses),
    meanAuc: pool(byMean),
    hours: sum('hours'),
    changes: sum('changes'),
    short: sum('short'),
    states: sum('states'),
  };
  return [figures.map((it, index) => rowOf(streams[index]?.subject ?? '', it)), [rowOf('all', all)]];
}

function rowOf(name: string, it: StreamFigures): TableRow {
  const [perHour, short] = [it.changes / it.hours, (100 * it.short) / it.states];
  return [name, it.auc.toFixed(3), it.meanAuc.toFixed(3), perHour.toFixed(1), `${short.toFixed(1)} %`];
}

export const densityColumns: readonly Column[] = [
  { title: 'reading every' },
  { title: 'and every' },
  ...figureColumns('same state'),
];

/** Returns one row per pair of reading intervals: the share of time with the same state, over all people. */
export function densityRows(replays: ReadonlyMap<number, readonly StreamResponse[][]>): TableRow[] {
  const densities = [...replays.keys()].sort((a, b) => a - b);
  const pairs = densities.flatMap((one, index) => densities.slice(index + 1).map((other) => [one, other] as const));
  return pairs.map(([one, other]) => {
    const shares = (replays.get(one) ?? []).map((own, person) => agreementOf(own, replays.get(other)?.[person] ?? []));
    const mean = shares.reduce((total, share) => total + share, 0) / shares.length;
    return [`${one} s`, `${other} s`, `${(100 * mean).toFixed(1)} %`];
  });
}
