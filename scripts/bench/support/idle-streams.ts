import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import { quantile } from '../../../src/terminal/quantile.js';
import { withDatabase } from './databases.js';
import { startGenerator } from './generator.js';
import type { BenchedService } from './service.js';
import { openStreams } from './stream-clients.js';
import { type Figure, sessionIds, type StreamBenchOptions, warmUpSeconds, withServices } from './stream-stage.js';
import { usageOf } from './usage.js';

const connections = 64;
/** Streams that are open before the memory is measured. */
const firstStreams = 100;
/** Allocated memory settles within this time. */
const settleMs = 3_000;
const goals = { kbPerStream: 20, throughputRatio: 0.95 };

/** Measures the resident memory of the service process before and after it has opened the streams. */
export async function measureMemory(kind: DatabaseKind, { streams }: StreamBenchOptions): Promise<Figure[]> {
  const generator = startGenerator();
  try {
    const kbPerStream = await withDatabase(kind, (databaseUrl) =>
      withServices(databaseUrl, 1, {}, async ([service], key) => {
        const { url, pid } = service as BenchedService;
        // The heap has its usual size, and the code of streams is compiled.
        await generator.run({ urls: [url], key, load: 'plain', seconds: warmUpSeconds, connections });
        const first = await openStreams(url, key, sessionIds(firstStreams));
        await sleep(settleMs);
        const before = usageOf(pid)?.residentMb ?? Number.NaN;
        const more = await openStreams(url, key, sessionIds(streams));
        await sleep(settleMs);
        const after = usageOf(pid)?.residentMb ?? Number.NaN;
        [first, more].forEach((it) => it.close());
        return (1000 * (after - before)) / streams;
      }),
    );
    return [{ title: 'memory per idle stream, kB', value: kbPerStream.toFixed(1), goal: `≤ ${goals.kbPerStream}` }];
  } finally {
    generator.close();
  }
}

/** Throughput of ingest, and CPU time of the service process. */
interface Cost {
  readonly perSecond: number;
  readonly cpuMicrosPerReading: number;
}

/**
 * Compares ingest with and without idle streams, in alternating runs. The CPU time per reading depends less on other
 * programs than the throughput.
 */
export async function measureThroughput(
  kind: DatabaseKind,
  { streams, seconds, rounds }: StreamBenchOptions,
): Promise<Figure[]> {
  const generator = startGenerator();
  const run = (idle: number): Promise<Cost> =>
    withDatabase(kind, (databaseUrl) =>
      withServices(databaseUrl, 1, {}, async ([service], key) => {
        const { url, pid } = service as BenchedService;
        const cpuMs = () => usageOf(pid)?.cpuMs ?? Number.NaN;
        const clients = await openStreams(url, key, sessionIds(idle));
        const job = { urls: [url], key, load: 'plain', connections } as const;
        await generator.run({ ...job, seconds: warmUpSeconds });
        const before = cpuMs();
        const { perSecond, failures } = await generator.run({ ...job, seconds });
        const cpuMicrosPerReading = (1_000 * (cpuMs() - before)) / (perSecond * seconds);
        clients.close();
        if (failures > 0) throw new Error(`${failures} requests failed with ${idle} idle streams`);
        return { perSecond, cpuMicrosPerReading };
      }),
    );
  try {
    const pairs: Array<{ readonly alone: Cost; readonly beside: Cost }> = [];
    for (let round = 0; round < rounds; round += 1) {
      // Alternating order, because the speed of a shared machine changes.
      if (round % 2) {
        const beside = await run(streams);
        pairs.push({ alone: await run(0), beside });
      } else pairs.push({ alone: await run(0), beside: await run(streams) });
    }
    const ratioOf = (name: keyof Cost) =>
      quantile(
        pairs.map(({ alone, beside }) => beside[name] / alone[name]),
        0.5,
      ).toFixed(2);
    const throughput = quantile(
      pairs.map(({ beside }) => beside.perSecond),
      0.5,
    ).toFixed(0);
    return [
      { title: `readings/s with ${streams} idle streams`, value: throughput },
      { title: 'of the throughput without', value: ratioOf('perSecond'), goal: `≥ ${goals.throughputRatio}` },
      { title: 'CPU time per reading, of that without', value: ratioOf('cpuMicrosPerReading') },
    ];
  } finally {
    generator.close();
  }
}
