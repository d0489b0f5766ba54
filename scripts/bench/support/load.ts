/** The load generator, a separate process. Runs one job at a time for its parent process and reports the figures. */
import autocannon from 'autocannon';
import { createRequests, type Load } from './requests.js';

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

const requests = createRequests();

process.on('message', (job: Job) => {
  void run(job).then((done) => process.send?.(done));
});

async function run({ urls, ...job }: Job): Promise<Run> {
  const connections = Math.ceil(job.connections / urls.length);
  const runs = await Promise.all(urls.map((url) => runOn(url, { ...job, connections })));
  const sum = (pick: (run: Run) => number) => runs.reduce((total, it) => total + pick(it), 0);
  return {
    answers: sum(({ answers }) => answers),
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: Math.max(...runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...runs.map(({ p99Ms }) => p99Ms)),
    failures: sum(({ failures }) => failures),
  };
}

async function runOn(url: string, { key, load, seconds, connections, among }: Omit<Job, 'urls'>): Promise<Run> {
  const next = requests[load];
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, ...next(among) }) }],
  });
  return {
    answers: result['2xx'],
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
