import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { enums } from '../../generated/spec.js';
import { version } from '../config/version.js';
import type { CacheLookups } from '../store/row-cache.js';
import { createGauges, type Gauges } from './gauges.js';
import { limitTime } from './probes.js';

export interface Metrics extends Observers, Gauges {
  readonly contentType: string;
  text(): Promise<string>;
}

type Observers = ReturnType<typeof createObservers> & ReturnType<typeof createCacheCounter>;

export function createMetrics(): Metrics {
  const registry = new Registry();
  addBuildInfo(registry);
  return {
    ...createObservers(registry),
    ...createCacheCounter(registry),
    ...createGauges(registry),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}

const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const attemptSeconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const groupSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Creates the histograms and counters. Returns the functions that record what happened. */
function createObservers(registry: Registry) {
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
  const replacements = new Counter({
    name: 'state_service_readings_replaced_total',
    help: 'Stored readings that a reading with the same sample_id replaced.',
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
  const alerts = new Counter({
    name: 'state_service_alerts_fired_total',
    help: 'Alert rules that fired for a person.',
    registers,
  });
  const refusals = new Counter({
    name: 'state_service_rate_limit_refusals_total',
    help: 'Requests that a limit refused, by its policy.',
    labelNames: ['policy'],
    registers,
  });
  return {
    observeRequest: (operation = 'none', status: number, seconds: number) =>
      requests.observe({ operation, status }, seconds),
    observeGroup: (size: number) => groups.observe(size),
    observeReplacement: () => replacements.inc(),
    observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => attempts.observe({ outcome }, seconds),
    observeStatus: (status: (typeof enums.WebhookStatus)[number]) => statusChanges.inc({ status }),
    observeAlerts: (count: number) => alerts.inc(count),
    observeRefusal: (policy: string) => refusals.inc({ policy }),
    watchDroppedLines: (dropped: () => number) => addDroppedLines(registry, dropped),
    /** Creates the counter of the external check of messages. Its labels tell nothing of a finding. */
    countSafetyChecks() {
      const checks = new Counter({
        name: 'state_service_safety_checks_total',
        help: 'Messages that the external check (SAFETY_URL) was asked about, by result.',
        labelNames: ['result'],
        registers,
      });
      for (const result of ['answered', 'failed']) checks.inc({ result }, 0);
      return (isAnswered: boolean) => checks.inc({ result: isAnswered ? 'answered' : 'failed' });
    },
  };
}

function addDroppedLines(registry: Registry, read: () => number): void {
  new Counter({
    name: 'state_service_log_lines_dropped_total',
    help: 'Log lines that could not be written.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'state_service_build_info',
    help: 'Version of the program and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
    .labels(version, process.version)
    .set(1);
}

/** Returns the lookups of caches since the start, by the name of the cache. */
type ReadLookups = () => Promise<Readonly<Record<string, CacheLookups>>>;

/**
 * Creates the counter of cache lookups. Hit rates are computed from counters, because a rate of the process would hide
 * changes. If a read fails, the scrape shows the previous numbers.
 */
function createCacheCounter(registry: Registry) {
  let read: ReadLookups = async () => ({});
  const known = new Map<string, number>();
  const counter = new Counter({
    name: 'state_service_cache_lookups_total',
    help: 'Lookups in the caches of keys, sessions and subjects, by result.',
    labelNames: ['cache', 'result'],
    registers: [registry],
    async collect() {
      for (const [cache, { hits, misses }] of Object.entries(await limitTime(read()).catch(() => ({})))) {
        raise(cache, 'hit', hits);
        raise(cache, 'miss', misses);
      }
    },
  });
  const raise = (cache: string, result: 'hit' | 'miss', total: number): void => {
    const name = `${cache} ${result}`;
    counter.inc({ cache, result }, total - (known.get(name) ?? 0));
    known.set(name, total);
  };
  return {
    /** Records a lookup of a key in the cache of keys. */
    observeKeyLookup: (isCached: boolean) => counter.inc({ cache: 'keys', result: isCached ? 'hit' : 'miss' }),
    /** Registers the lookups of further caches, by name. Each scrape calls `lookups`. */
    watchCaches: (lookups: ReadLookups) => void (read = lookups),
  };
}
