import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { alerts as settings } from '../../generated/spec.js';
import { createAlertLease, findAccountsWithRules } from '../store/alerts.js';
import type { DigestId } from '../store/erased-ids.js';
import { retry } from '../store/retry.js';
import type { Store } from '../store/store.js';
import { type Cursor, evaluate, type EvaluationParts } from './evaluate.js';

const everyMs = settings.evaluate_every_seconds * 1000;

export interface AlertParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. All processes of a database share it. */
  readonly now: () => number;
  readonly findAbsences: EvaluationParts['findAbsences'];
  readonly log: Logger;
  /** Called after firings, with their number. */
  readonly onFired: (count: number) => void;
  /** Pause between two looks at the clock, in ms. Tests shorten it. */
  readonly pollMs?: number | undefined;
}

/*
 * The story of an alert. Any number of processes share one database.
 *
 * 1. Once a minute, one process claims the minute (store/alerts.ts). Without rules, nothing else runs.
 * 2. evaluate.ts: reads the rules of an account and its people in pages, and finds for whom a condition is true
 *    (conditions.ts). It ends after a second, and the next evaluation continues with the next person.
 * 3. fire.ts: stores the firings of a page and their events in one transaction.
 * 4. The delivery worker sends the events (webhooks/worker.ts).
 */

/** Starts the evaluation of alert rules. If the database is unavailable, the next minute retries. */
export function startAlerts({ store, digestId, now, findAbsences, log, onFired, pollMs = 1_000 }: AlertParts) {
  const stop = new AbortController();
  let cursor: Cursor | undefined;
  let evaluatedMs = 0;
  const step = async () => {
    const minuteMs = now() - (now() % everyMs);
    if (minuteMs === evaluatedMs) return;
    evaluatedMs = minuteMs;
    if ((await store.run(findAccountsWithRules)).length === 0) return;
    if (!(await retry(() => store.run((knex) => createAlertLease(knex).claim(minuteMs))))) return;
    const endsAtMs = performance.now() + settings.evaluation_ms_max;
    const isOver = () => stop.signal.aborted || performance.now() > endsAtMs;
    const ended = await evaluate({ store, digestId, now, findAbsences, minuteMs, isOver }, cursor);
    cursor = ended.cursor;
    if (cursor)
      log.info({ accountId: cursor.accountId }, 'alert rules: the next evaluation continues with more people');
    if (ended.fired > 0) onFired(ended.fired);
  };
  const loop = async () => {
    while (!stop.signal.aborted) {
      await step().catch((error: unknown) => log.warn({ err: error }, 'the evaluation of alert rules failed'));
      await sleep(pollMs, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  };
  const running = loop();
  return {
    /** Stops the evaluation. Resolves after the present transaction. */
    async close(): Promise<void> {
      stop.abort();
      await running;
    },
  };
}
