/** The load generator, in a process of its own: takes one job at a time from its parent and reports what came of it. */
import autocannon from 'autocannon';
import { type Contender, createRequests } from './requests.js';

export interface Job {
  readonly url: string;
  readonly key: string;
  readonly contender: Contender;
  readonly seconds: number;
  readonly connections: number;
}

export interface Run {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, broken connections and time-outs. */
  readonly failures: number;
}

const requests = createRequests();

process.on('message', (job: Job) => {
  void load(job).then((run) => process.send?.(run));
});

async function load({ url, key, contender, seconds, connections }: Job): Promise<Run> {
  const next = requests[contender];
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
    requests: [{ setupRequest: (request) => ({ ...request, ...next() }) }],
  });
  return {
    perSecond: result['2xx'] / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
  };
}
