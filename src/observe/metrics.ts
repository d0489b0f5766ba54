import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { enums } from '../../generated/spec.js';
import type { DeliveryCounts } from '../store/delivery-queue.js';
import { addAvailabilityGauges, type AvailabilityGauges } from './availability-gauges.js';
import { addCacheCounter, type ReadLookups } from './cache-counter.js';
import { addDeliveryGauges, addWorkerGauges, type WorkerLoad } from './delivery-gauges.js';
import { addCounter, addGauge, type Figure } from './gauges.js';
import { addThreadGauges } from './thread-gauges.js';
import { version } from '../config/version.js';

/** Records the metrics of the process and exports them in the Prometheus format. */
export interface Metrics extends AvailabilityGauges {
  readonly observeRequest: (operation: string | undefined, status: number, seconds: number) => void;
  /** Records the size of a committed group of readings. */
  readonly observeGroup: (size: number) => void;
  /** Records a settled delivery attempt. */
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
  /** Records a webhook whose status an attempt changed, with the new status. */
  readonly observeStatus: (status: 'active' | 'failed' | 'disabled') => void;
  /** Records a request that a limit rejected. */
  readonly observeRefusal: (policy: string) => void;
  /** Records a lookup of a key in the cache of keys. */
  readonly observeKeyLookup: (isCached: boolean) => void;
  /** Registers a function that returns the lookups of further caches, by name. Each scrape calls it. */
  readonly watchCaches: (lookups: ReadLookups) => void;
  /** Registers a function that returns the number of open streams. */
  readonly watchStreams: (open: Figure) => void;
  /** Registers functions that read figures from the database. Each scrape calls them. */
  readonly watchDatabase: (figures: DatabaseFigures) => void;
  /** Registers a function that returns the event-loop lag and the heap of a thread. */
  readonly watchThread: ReturnType<typeof addThreadGauges>;
  /**
   * Registers a function that returns the slots in use and the ages of the deliveries in flight. It returns undefined
   * in a process without a worker.
   */
  readonly watchWorker: (load: () => Promise<WorkerLoad | undefined>) => void;
  /** Registers a function that returns the number of readings that wait for a group commit. */
  readonly watchQueue: (waiting: Figure) => void;
  /** Adds metrics of the process: CPU, memory, garbage collection and event-loop lag. */
  readonly watchProcess: () => void;
  /** Registers a function that returns the number of dropped log lines. */
  readonly watchDroppedLines: (dropped: () => number) => void;
  readonly contentType: string;
  /** Returns all metrics in the text format. */
  text(): Promise<string>;
}

/** Figures that the database knows, for all processes of a database. */
export interface DatabaseFigures {
  /** Age of the oldest event in the outbox, seconds. */
  readonly outboxAgeSeconds: Figure;
  /** How long the oldest due delivery has been waiting, seconds. */
  readonly dueAgeSeconds: Figure;
  /** Numbers of pending and failed deliveries. */
  readonly deliveryCounts: () => Promise<DeliveryCounts>;
  /** How far the clock of this process is ahead of the database's clock, seconds. */
  readonly clockAheadSeconds: Figure;
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Sampling interval of the event-loop lag, ms. Each sample wakes the process, also when it is idle. */
const lagSampleMs = 100;

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'state_service_http_request_duration_seconds',
    help: 'Requests by operation and status; the operation is "none" where the contract names none.',
    labelNames: ['operation', 'status'],
    buckets: requestSeconds,
    registers,
  });
  const groups = new Histogram({
    name: 'state_service_ingest_group_size',
    help: 'Readings that one transaction committed.',
    buckets: groupSizes,
    registers,
  });
  const attempts = new Histogram({
    name: 'state_service_webhook_attempt_duration_seconds',
    help: 'Attempts to deliver, by outcome.',
    labelNames: ['outcome'],
    buckets: attemptSeconds,
    registers,
  });
  const statusChanges = new Counter({
    name: 'state_service_webhook_status_changes_total',
    help: 'Webhooks whose status an attempt changed, by new status.',
    labelNames: ['status'],
    registers,
  });
  for (const status of enums.WebhookStatus) statusChanges.inc({ status }, 0);
  const refusals = new Counter({
    name: 'state_service_rate_limit_refusals_total',
    help: 'Requests that a limit refused, by its policy.',
    labelNames: ['policy'],
    registers,
  });
  new Gauge({
    name: 'state_service_build_info',
    help: 'Version of the program and of Node.',
    labelNames: ['version', 'node'],
    registers,
  })
    .labels(version, process.version)
    .set(1);
  return {
    observeRequest: (operation = 'none', status, seconds) => requests.observe({ operation, status }, seconds),
    observeGroup: (size) => groups.observe(size),
    observeAttempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    observeStatus: (status) => statusChanges.inc({ status }),
    observeRefusal: (policy) => refusals.inc({ policy }),
    ...addCacheCounter(registry),
    watchStreams: (read) => addGauge(registry, 'state_service_streams_open', 'Open streams of this process.', read),
    watchDatabase({ outboxAgeSeconds, dueAgeSeconds, deliveryCounts, clockAheadSeconds }) {
      const add = (name: string, help: string, read: Figure) => addGauge(registry, `state_service_${name}`, help, read);
      add('webhook_outbox_age_seconds', 'Age of the oldest event that waits to be expanded.', outboxAgeSeconds);
      add('webhook_due_age_seconds', 'How long the oldest due delivery has been waiting.', dueAgeSeconds);
      addDeliveryGauges(registry, deliveryCounts);
      const clocks =
        'How far the clock of this process is ahead of the clock of the database. Negative if it is behind.';
      add('clock_ahead_seconds', clocks, clockAheadSeconds);
    },
    ...addAvailabilityGauges(registry),
    watchThread: addThreadGauges(registry),
    watchWorker: (read) => addWorkerGauges(registry, read),
    watchQueue: (read) =>
      addGauge(registry, 'state_service_ingest_queue_depth', 'Readings that wait for their group.', read),
    watchProcess: () => collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagSampleMs }),
    watchDroppedLines: (dropped) =>
      addCounter(registry, 'state_service_log_lines_dropped_total', 'Log lines that could not be written.', dropped),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
