import type { Generator } from './generator.js';
import type { Job, Run } from './load.js';
import type { BenchedService } from './service.js';
import { usageOf } from './usage.js';

export interface MeasuredRun extends Run {
  /** CPU time of the server's process per request, µs. Undefined on systems without /proc. */
  readonly cpuMicros: number | undefined;
  /** Resident memory at the end of the load, MB. Undefined on systems without /proc. */
  readonly residentMb: number | undefined;
}

export interface MeasureOptions {
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
}

/** A server and the requests that it receives. */
export interface Start extends Pick<Job, 'key' | 'load' | 'among'> {
  readonly start: () => Promise<BenchedService>;
}

/** Starts a server for one run, warms it up, measures it and stops it. */
export async function measureRun(
  { start, ...asked }: Start,
  generator: Generator,
  { connections, seconds, warmUpSeconds }: MeasureOptions,
): Promise<MeasuredRun> {
  const { url, pid, close } = await start();
  const job = { ...asked, urls: [url], connections };
  try {
    const warmUp = await generator.run({ ...job, seconds: warmUpSeconds });
    const before = usageOf(pid);
    const run = await generator.run({ ...job, seconds });
    const after = usageOf(pid);
    return {
      ...run,
      failures: warmUp.failures + run.failures,
      cpuMicros: before && after && (1000 * (after.cpuMs - before.cpuMs)) / run.answers,
      residentMb: after?.residentMb,
    };
  } finally {
    await close();
  }
}

export interface Sample {
  readonly answers: number;
  readonly residentMb: number | undefined;
}

/** Sends this many requests to one process, in several runs. Returns the resident memory after each run. */
export async function soak(
  { start, ...asked }: Start,
  generator: Generator,
  { connections, seconds }: MeasureOptions,
  answersMin: number,
): Promise<Sample[]> {
  const { url, pid, close } = await start();
  const samples: Sample[] = [];
  try {
    for (let answers = 0; answers < answersMin;) {
      const run = await generator.run({ ...asked, urls: [url], connections, seconds });
      if (run.failures > 0 || run.answers === 0) throw new Error(`${run.failures} requests failed in the long run`);
      answers += run.answers;
      samples.push({ answers, residentMb: usageOf(pid)?.residentMb });
    }
    return samples;
  } finally {
    await close();
  }
}
