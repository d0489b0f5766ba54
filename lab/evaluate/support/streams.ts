import { mean } from '../../../packages/tools/evaluate/figures/statistics.js';
import { withProgress } from '../../../packages/tools/terminal/progress.js';
import {
  type Column,
  figureColumns,
  formatTable,
  percent,
  type TableFormat,
  type TableRow,
} from '../../../packages/tools/terminal/table.js';
import type { StreamResponse } from '../../../testkit/simulation/everyday-claims.js';
import {
  agreementOf,
  figuresOf,
  type HeartStream,
  replayStreams,
  type StreamFigures,
  sumFigures,
} from '../../../testkit/simulation/stream.js';
import { withLocalService } from './local-service.js';

const every = 5;
/** Replayed reading intervals, s. */
export const densities = [1, every, 15, 60];

export interface StreamOptions extends TableFormat {
  readonly density: boolean;
}

/** Replays streams through the service and prints their figures. Used for recordings such as Stress-Predict. */
export async function evaluateStreams(streams: readonly HeartStream[], options: StreamOptions): Promise<void> {
  const chosen = options.density ? densities : [every];
  const rows = streams.reduce((sum, it) => sum + it.rows.length, 0);
  const total = Math.round(chosen.reduce((sum, seconds) => sum + rows / seconds, 0));
  const replays = await withLocalService((service) =>
    withProgress(total, 'readings', async ({ advance }) => {
      const responses = new Map<number, StreamResponse[][]>();
      for (const seconds of chosen) responses.set(seconds, await replayStreams(service, streams, seconds, advance));
      return responses;
    }),
  );
  const figures = (replays.get(every) ?? []).map(figuresOf);
  const people = figures.map((it, index) => toCells(streams[index]?.subject ?? '', it));
  console.log(formatTable(options, streamColumns, [people, [toCells('all', sumFigures(figures))]]));
  if (options.density) console.log(`\n${densityTable(options, replays)}`);
}

const streamColumns: readonly Column[] = [
  { title: 'person' },
  ...figureColumns('state changes per hour', 'states shorter than a minute'),
];

function toCells(name: string, { changes, hours, short, states }: StreamFigures): TableRow {
  return [name, (changes / hours).toFixed(1), percent(short / states)];
}

/** Returns a table with a row per pair of reading intervals: the share of time with the same state, over all people. */
export function densityTable(format: TableFormat, replays: ReadonlyMap<number, readonly StreamResponse[][]>): string {
  const ascending = [...replays.keys()].sort((a, b) => a - b);
  const pairs = ascending.flatMap((one, index) => ascending.slice(index + 1).map((other) => [one, other] as const));
  const rows = pairs.map(([one, other]) => {
    const shares = (replays.get(one) ?? []).map((own, person) => agreementOf(own, replays.get(other)?.[person] ?? []));
    return [`${one} s`, `${other} s`, percent(mean(shares))];
  });
  return formatTable(
    format,
    [{ title: 'reading every' }, { title: 'and every' }, ...figureColumns('same state')],
    [rows],
  );
}
