import type { Column, TableRow } from '../../../packages/tools/terminal/table.js';
import type { StreamResponse } from '../../../testkit/simulation/everyday-claims.js';
import { agreementOf, figuresOf, type HeartStream, type StreamFigures } from '../../../testkit/simulation/stream.js';
import { figureColumns } from '../../figures.js';

export const streamColumns: readonly Column[] = [
  { title: 'person' },
  ...figureColumns('state changes per hour', 'states shorter than a minute'),
];

/** Returns one row per person and one for all people. */
export function streamRows(streams: readonly HeartStream[], responses: readonly StreamResponse[][]): TableRow[][] {
  const figures = responses.map(figuresOf);
  const sum = (key: keyof StreamFigures) => figures.reduce((total, it) => total + it[key], 0);
  const all = { hours: sum('hours'), changes: sum('changes'), short: sum('short'), states: sum('states') };
  return [figures.map((it, index) => rowOf(streams[index]?.subject ?? '', it)), [rowOf('all', all)]];
}

function rowOf(name: string, it: StreamFigures): TableRow {
  return [name, (it.changes / it.hours).toFixed(1), `${((100 * it.short) / it.states).toFixed(1)} %`];
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
