import type { Generator } from '../../bench/support/generator.js';
import type { Run } from '../../bench/support/load.js';
import type { MeasureOptions } from '../../bench/support/measure-run.js';
import { type Runs, takeTurns } from '../../bench/support/rounds.js';
import { type BenchedService } from '../../bench/support/service.js';

export const sides = ['one', 'all'] as const;
export type Side = (typeof sides)[number];

export interface ThroughputOptions extends MeasureOptions {
  readonly key: string;
  readonly processes: number;
  readonly rounds: number;
}

/**
 * Measures one process and all processes alternately, on one database under the same load. Starts new processes for
 * each run.
 */
export function measureThroughput(
  start: (count: number) => Promise<readonly BenchedService[]>,
  generator: Generator,
  { key, processes, rounds, seconds, warmUpSeconds, connections }: ThroughputOptions,
): Promise<Runs<Side>> {
  return takeTurns(sides, { rounds, warmUps: 0 }, async (side): Promise<Run> => {
    const services = await start(side === 'one' ? 1 : processes);
    const job = { urls: services.map(({ url }) => url), key, load: 'plain', connections } as const;
    try {
      const warmUp = await generator.run({ ...job, seconds: warmUpSeconds });
      const run = await generator.run({ ...job, seconds });
      return { ...run, failures: warmUp.failures + run.failures };
    } finally {
      for (const service of services) await service.close();
    }
  });
}
