/** The load generator, in a process of its own: takes one job at a time from its parent and reports what came of it. */
import autocannon from 'autocannon';
import { createRequests, type Load } from './requests.js';

export interface Job {
  /** Of one service; of several, the connections are divided among them and each takes the next request. */
  readonly urls: readonly string[];
  readonly key: string;
  readonly load: Load;
  readonly seconds: number;
  readonly connections: number;
  /** Of how many subjects or sessions each request names one, where it does. */
  readonly among?: number;
}

export interface Run {
  /** 2xx only. */
  readonly answers: number;
  readonly perSecond: number;
  /** Of the slowest service, like the next. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, broken connections and time-outs. */
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
