import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { countMax, type DeliveryCounts } from '../store/delivery-queue.js';
import { cacheResult, limitTime, probeMs, readLastBackup, type ReadinessStatus, type ThreadLoad } from './probes.js';

type Figure = () => Promise<number>;

/** Figures that the database knows, for all processes of a database. */
interface DatabaseFigures {
  /** Age of the oldest event in the outbox, in seconds. */
  readonly outboxAgeSeconds: Figure;
  /** How long the oldest due delivery has been waiting, in seconds. */
  readonly dueAgeSeconds: Figure;
  readonly deliveryCounts: () => Promise<DeliveryCounts>;
  /** How long the alert rules of a person have been due, at most, in seconds. */
  readonly alertsLagSeconds: Figure;
  /** How far the clock of this process is ahead of the database's clock, in seconds. */
  readonly clockAheadSeconds: Figure;
}

export interface WorkerLoad {
  readonly slotsInUse: number;
  readonly agesSeconds: readonly number[];
}

/** `core` uses the database and delivers webhooks. `http` serves requests. */
type ThreadName = 'http' | 'core';
type ReadLoad = () => Promise<ThreadLoad>;

export type Gauges = ReturnType<typeof createGauges>;

/** Gauges with the name of a counter. The gauges without `_total` have the same figures by type. */
const sumsOfGauges = ['handles', 'requests', 'resources'].map((it) => `nodejs_active_${it}_total`);

/** Sampling interval of the event-loop lag, in ms. Each sample wakes the process, also when it is idle. */
const lagSampleMs = 100;

/**
 * Returns functions that add gauges. Each scrape calls the function that reads a gauge. The gauges of availability remain
 * while the database is unavailable.
 */
export function createGauges(registry: Registry) {
  const add = (name: string, help: string, read: Figure) => addGauge(registry, `state_service_${name}`, help, read);
  return {
    /** Adds metrics of the process: CPU, memory, garbage collection and event-loop lag. */
    watchProcess() {
      collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs });
      for (const name of sumsOfGauges) registry.removeSingleMetric(name);
    },
    watchThread: addThreadGauges(registry),
    watchStreams: (open: Figure) => add('streams_open', 'Open streams of this process.', open),
    /** `waiting` returns the number of readings that wait for a group commit. */
    watchQueue: (waiting: Figure) => add('ingest_queue_depth', 'Readings that wait for their group.', waiting),
    watchDatabase({
      outboxAgeSeconds,
      dueAgeSeconds,
      deliveryCounts,
      alertsLagSeconds,
      clockAheadSeconds,
    }: DatabaseFigures) {
      add('webhook_outbox_age_seconds', 'Age of the oldest event that waits to be expanded.', outboxAgeSeconds);
      add('webhook_due_age_seconds', 'How long the oldest due delivery has been waiting.', dueAgeSeconds);
      addDeliveryGauges(registry, deliveryCounts);
      add('alerts_lag_seconds', 'How long the alert rules of a person have been due, at most.', alertsLagSeconds);
      const clocks =
        'How far the clock of this process is ahead of the clock of the database. Negative if it is behind.';
      add('clock_ahead_seconds', clocks, clockAheadSeconds);
    },
    /** `load` returns undefined in a process without a worker. */
    watchWorker: (load: () => Promise<WorkerLoad | undefined>) => addWorkerGauges(registry, load),
    watchReadiness(check: () => Promise<ReadinessStatus>) {
      add('database_up', '1 if the database responds, otherwise 0.', async () => Number((await check()).isUp));
      const writable = '1 if the database responds and accepts writes, otherwise 0.';
      add('database_writable', writable, async () => Number((await check()).isWritable));
      const ready = '1 if the readiness check succeeds, otherwise 0.';
      add('ready', ready, async () => Number((await check()).cause === undefined));
    },
    /**
     * `lastPurgeAtMs` returns the time of the last complete purge, in epoch ms, and `purgeLagMs` the age of the oldest row
     * past its retention. Both return undefined if no purge has started.
     */
    watchPurge(read: Readonly<Record<'lastPurgeAtMs' | 'purgeLagMs', () => Promise<number | undefined>>>) {
      const inSeconds = (of: keyof typeof read) => async () => {
        const ms = await read[of]();
        if (ms === undefined) throw new Error('no purge has started');
        return ms / 1000;
      };
      const help = 'Unix time of the last complete purge of this process. 0 if none was complete.';
      add('last_purge_timestamp_seconds', help, inSeconds('lastPurgeAtMs'));
      add(
        'purge_lag_seconds',
        'Age of the oldest row past its retention, of accounts that a purge has visited.',
        inSeconds('purgeLagMs'),
      );
    },
    /** `statusFile` is the file in which `backup` records the time of the last backup. */
    watchBackup(statusFile: string) {
      const help = 'Unix time of the last backup, from BACKUP_STATUS_FILE. 0 if there is none.';
      add('last_backup_timestamp_seconds', help, async () => ((await readLastBackup(statusFile)) ?? 0) / 1000);
    },
    /** `ping` rejects if Redis is unavailable. */
    watchRedis(ping: () => Promise<unknown>) {
      const read = () =>
        limitTime(ping(), probeMs).then(
          () => 1,
          () => 0,
        );
      add('redis_up', '1 if Redis responds, otherwise 0. Absent without REDIS_URL.', read);
    },
  };
}

/**
 * Adds a gauge that each scrape reads. If it cannot be read, the scrape omits the gauge, or with `isKept` shows the last
 * value.
 */
function addGauge(registry: Registry, name: string, help: string, read: Figure, isKept = false): void {
  let isKnown = false;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      try {
        this.set(await limitTime(read()));
        isKnown = true;
      } catch {
        if (!isKept || !isKnown) this.remove();
      }
    },
  });
}

/** Adds the numbers of pending and failed deliveries. They keep their last values while the database is unavailable. */
function addDeliveryGauges(registry: Registry, read: () => Promise<DeliveryCounts>): void {
  const counts = [
    ['pending', 'Unsettled deliveries'],
    ['failed', 'Retained failed deliveries'],
  ] as const;
  for (const [name, what] of counts) {
    const help = `${what} of all accounts, at most ${countMax}; the same in every process of a database.`;
    addGauge(registry, `state_service_webhook_deliveries_${name}`, help, async () => (await read())[name], true);
  }
}

/** Ages of deliveries in flight: label and upper bound in seconds. */
const ageBounds = [
  ['0-1', 1],
  ['1-5', 5],
  ['5-10', 10],
  ['10+', Number.POSITIVE_INFINITY],
] as const;

function addWorkerGauges(registry: Registry, read: () => Promise<WorkerLoad | undefined>): void {
  addGauge(registry, 'state_service_webhook_slots_in_use', 'Deliveries in progress, of 512.', async () => {
    const load = await read();
    if (!load) throw new Error('this process has no delivery worker');
    return load.slotsInUse;
  });
  new Gauge({
    name: 'state_service_webhook_deliveries_in_flight',
    help: 'Deliveries in progress by age in seconds.',
    labelNames: ['age_seconds'],
    registers: [registry],
    async collect() {
      const ages = (await limitTime(read()).catch(() => undefined))?.agesSeconds ?? [];
      for (const [index, [label, max]] of ageBounds.entries()) {
        const above = ageBounds[index - 1]?.[1] ?? Number.NEGATIVE_INFINITY;
        this.set({ age_seconds: label }, ages.filter((age) => age <= max && age > above).length);
      }
    },
  });
}

/** Lifetime of a cached read in ms, so that all gauges use one read per scrape. */
const sharedForMs = 500;

const lagHelp = 'of the event-loop lag of each thread since the previous scrape.';
const threadGauges: ReadonlyArray<readonly [name: string, help: string, pick: (load: ThreadLoad) => number]> = [
  ['state_service_thread_event_loop_lag_p99_seconds', `99th percentile ${lagHelp}`, (it) => it.lagSeconds.p99],
  ['state_service_thread_event_loop_lag_max_seconds', `Maximum ${lagHelp}`, (it) => it.lagSeconds.max],
  ['state_service_thread_heap_used_bytes', 'JavaScript heap in use of each thread.', (it) => it.heapBytes.used],
  [
    'state_service_thread_heap_limit_bytes',
    'JavaScript heap of each thread at which the process ends.',
    (it) => it.heapBytes.limit,
  ],
];

/**
 * Creates the gauges for event-loop lag and heap. Returns a function that adds a thread. If the read of a thread fails,
 * the scrape omits the thread.
 */
function addThreadGauges(registry: Registry): (thread: ThreadName, read: ReadLoad) => void {
  const threads: Array<{ readonly thread: ThreadName; readonly read: ReadLoad }> = [];
  for (const [name, help, pick] of threadGauges)
    new Gauge({
      name,
      help,
      labelNames: ['thread'],
      registers: [registry],
      async collect() {
        this.reset();
        for (const { thread, read } of threads) {
          const load = await limitTime(read()).catch(() => undefined);
          if (load) this.set({ thread }, pick(load));
        }
      },
    });
  return (thread, read) => void threads.push({ thread, read: cacheResult(sharedForMs, () => performance.now(), read) });
}
