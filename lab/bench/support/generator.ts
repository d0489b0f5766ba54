/** The load generator, a separate process. Runs one job at a time for its parent process and reports the figures. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { readUsage, type ServiceProgram } from '../../../testkit/program.js';
import { createRequests, type Load } from './requests.js';

export const connections = 64;

export interface Job {
  /** URLs of the services under load. The connections are divided among the services. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly load: Load;
  readonly seconds: number;
  readonly connections: number;
  /** Number of subjects or sessions from which each request draws one. Absent if requests draw none. */
  readonly among?: number;
}

export interface Run {
  /** Number of responses with a 2xx status. */
  readonly answers: number;
  readonly perSecond: number;
  /** Maximum over all services, like `p99Ms`. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of other responses, connection errors and timeouts. */
  readonly failures: number;
}

export interface MeasuredRun extends Run {
  /** CPU time of the servers per request, µs. NaN on systems without /proc, like `residentMb`. */
  readonly cpuMicros: number;
  /** Resident memory of the servers at the end of the load, MB. */
  readonly residentMb: number;
}

export interface MeasureOptions extends Pick<Job, 'key' | 'load' | 'among'> {
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections?: number;
}

export interface Generator {
  run(job: Job): Promise<Run>;
  /** Warms the servers up and measures them. Failed requests of both phases count. */
  measure(servers: ReadonlyArray<Pick<ServiceProgram, 'url' | 'pid'>>, options: MeasureOptions): Promise<MeasuredRun>;
}

/** Runs the work with a load generator, whose process is used for all runs. */
export async function withGenerator<T>(work: (generator: Generator) => Promise<T>): Promise<T> {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), ['generate']);
  const ended = new AbortController();
  child.once('exit', () => ended.abort(new Error('the load generator ended')));
  const run: Generator['run'] = async (job) => {
    child.send(job);
    const [done] = (await once(child, 'message', { signal: ended.signal })) as [Run];
    return done;
  };
  try {
    return await work({ run, measure: (servers, options) => measure(run, servers, options) });
  } finally {
    child.kill();
  }
}

async function measure(
  run: Generator['run'],
  servers: ReadonlyArray<Pick<ServiceProgram, 'url' | 'pid'>>,
  { warmUpSeconds, ...options }: MeasureOptions,
): Promise<MeasuredRun> {
  const job = { connections, ...options, urls: servers.map(({ url }) => url) };
  const sum = (pick: (usage: ReturnType<typeof readUsage>) => number) =>
    servers.reduce((total, { pid }) => total + pick(readUsage(pid)), 0);
  const warmUp = await run({ ...job, seconds: warmUpSeconds });
  const cpuMs = sum((it) => it.cpuMs);
  const done = await run(job);
  return {
    ...done,
    failures: warmUp.failures + done.failures,
    cpuMicros: (1000 * (sum((it) => it.cpuMs) - cpuMs)) / done.answers,
    residentMb: sum((it) => it.residentMb),
  };
}

if (process.argv[2] === 'generate') {
  const requests = createRequests();
  process.on('message', (job: Job) => {
    void generate(requests, job).then((done) => process.send?.(done));
  });
}

async function generate(requests: ReturnType<typeof createRequests>, { urls, ...job }: Job): Promise<Run> {
  const share = Math.ceil(job.connections / urls.length);
  const runs = await Promise.all(urls.map((url) => generateAt(url, requests, { ...job, connections: share })));
  const sum = (pick: (run: Run) => number) => runs.reduce((total, it) => total + pick(it), 0);
  return {
    answers: sum(({ answers }) => answers),
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: Math.max(...runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...runs.map(({ p99Ms }) => p99Ms)),
    failures: sum(({ failures }) => failures),
  };
}

async function generateAt(
  url: string,
  requests: ReturnType<typeof createRequests>,
  { key, load, seconds, among, connections: own }: Omit<Job, 'urls'>,
): Promise<Run> {
  const next = requests[load];
  const result = await autocannon({
    url,
    connections: own,
    duration: seconds,
    requests: [
      {
        setupRequest(request) {
          const { headers, ...drawn } = next(among);
          return {
            ...request,
            ...drawn,
            headers: { 'X-Service-Key': key, 'Content-Type': 'application/json', ...headers },
          };
        },
      },
    ],
  });
  return {
    answers: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
