import { startProgress } from '../../../packages/tools/terminal/progress.js';
import { markdownTable, textTable } from '../../../packages/tools/terminal/table.js';
import type { StreamResponse } from '../../../testkit/simulation/everyday-claims.js';
import { type HeartStream, replayStreams } from '../../../testkit/simulation/stream.js';
import { startLocalService } from './local-service.js';
import { densityColumns, densityRows, streamColumns, streamRows } from './stream-tables.js';

const every = 5;
/** Replayed reading intervals, s. */
export const densities = [1, every, 15, 60];

interface StreamOptions {
  readonly markdown: boolean;
  readonly density: boolean;
}

/** Replays streams through the service and prints their figures. Used for recordings such as Stress-Predict. */
export async function evaluateStreams(
  streams: readonly HeartStream[],
  { markdown, density }: StreamOptions,
): Promise<void> {
  const print = markdown ? markdownTable : textTable;
  const replays = await replayAll(streams, density ? densities : [every]);
  const responses = replays.get(every) ?? [];
  console.log(print(streamColumns, streamRows(streams, responses)));
  if (density) console.log(`\n${print(densityColumns, [densityRows(replays)])}`);
}

async function replayAll(
  streams: readonly HeartStream[],
  densities: readonly number[],
): Promise<Map<number, StreamResponse[][]>> {
  const rows = streams.reduce((sum, it) => sum + it.rows.length, 0);
  const count = densities.reduce((sum, seconds) => sum + rows / seconds, 0);
  const service = await startLocalService();
  const progress = startProgress(process.stderr, Math.round(count), 'readings');
  try {
    const replays = new Map<number, StreamResponse[][]>();
    for (const seconds of densities)
      replays.set(seconds, await replayStreams(service, streams, seconds, progress.advance));
    return replays;
  } finally {
    progress.stop();
    await service.close();
  }
}
