import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAlertLease, findAccountsWithRules, findAccountsWithDueRules } from '../store/alerts.js';
import type { DigestId } from '../store/erased-ids.js';
import type { Store } from '../store/store.js';
import { evaluateSlice, type EvaluationParts } from './evaluate.js';
import { seedAll, seedSlice } from './seed.js';

const minuteMs = 60_000;
/** Readings of a longer time without this release may be those of an earlier one. The same holds if the clock was set. */
const absentMinutes = 2;

export interface AlertParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. All processes of a database share it. */
  readonly now: () => number;
  readonly findAbsences: EvaluationParts['findAbsences'];
  readonly log: Logger;
  /** Called after firings, with their number. */
  readonly onFired: (count: number) => void;
  /** Pause between two searches for due rules, in ms. Tests shorten it. */
  readonly pollMs?: number | undefined;
}

/*
 * The story of an alert. Any number of processes share one database. The work follows from events: a person whose readings
 * change nothing costs nothing.
 *
 * 1. The row of a person has a plan (`AlertPlan`): when its rules are evaluated next, or the score of a reading from which on
 *    they are. A reading changes it in its own transaction, without a statement (readings/alerts.ts): a high score makes the
 *    person due after the shortest duration of a rule, a new topic and a first reading make the person due at once. The time
 *    of the plan is in the column `alert_due_ms`.
 * 2. A new rule or receiver starts an epoch. A plan of an earlier epoch ends with the next reading. People who sent a recent
 *    reading become due in slices of time (seed.ts), also at a start after an absence of this release.
 * 3. Each second, each process finds the accounts with people who are due, and serves them in turn: a slice of people of each
 *    account. It works at most half of the time. To take a slice, it makes its people due a minute later (store/alerts.ts).
 *    Another process then passes over them. A process that ends, or an evaluation that fails, is repeated this way.
 * 4. evaluate.ts: checks the rules for each person (conditions.ts). plan.ts: computes the next time, e.g. the next hour of a
 *    lasting condition, the end of quiet hours, or the next block of hours of the usual level.
 * 5. fire.ts: in one transaction, under the locks of the people, stores firings, events and plans. A person with a reading
 *    since the check is due again after a minute.
 * 6. The delivery worker sends the events (webhooks/worker.ts).
 */

/** Starts the evaluation of alert rules. If the database is unavailable, the next search retries. */
export function startAlerts({ store, digestId, now, findAbsences, log, onFired, pollMs = 1_000 }: AlertParts) {
  const stop = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
  const onFailure = (error: unknown) => log.warn({ err: error }, 'the evaluation of alert rules failed');
  const parts = { store, digestId, now, findAbsences, onFailure };
  let seenMinute = -Infinity;
  const renew = async () => {
    const minute = Math.floor(now() / minuteMs);
    if (minute === seenMinute) return;
    const accounts = await store.run(findAccountsWithRules);
    if (accounts.length > 0) {
      const beforeMs = (await store.run((knex) => createAlertLease(knex).find())) ?? -Infinity;
      if (Math.abs(minute * minuteMs - beforeMs) > absentMinutes * minuteMs) await seedAll(store, accounts, now());
      // Last, so that a process that ends before is repeated.
      await store.run((knex) => createAlertLease(knex).renew(minute * minuteMs));
    }
    seenMinute = minute;
  };
  const loop = async () => {
    for (; !stop.signal.aborted; await pause(pollMs))
      try {
        await renew();
        const isStopped = () => stop.signal.aborted;
        while (!isStopped() && (await takeTurns(parts, { isStopped, pause, onFired })));
      } catch (error) {
        onFailure(error);
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

interface Turns {
  readonly isStopped: () => boolean;
  /** Lets other work of the process run for some ms. */
  readonly pause: (ms: number) => Promise<void>;
  readonly onFired: (count: number) => void;
}

/** Gives each account with people who are due one turn. Resolves with false if nothing was done. */
export async function takeTurns(parts: EvaluationParts, { isStopped, pause, onFired }: Turns): Promise<boolean> {
  const { store, now, onFailure } = parts;
  const accounts = await store.run((knex) => findAccountsWithDueRules(knex, now()));
  // Other processes begin with another account.
  const first = Math.floor(Math.random() * accounts.length);
  let isDone = false;
  for (const { accountId, dueMs } of [...accounts.slice(first), ...accounts.slice(0, first)]) {
    const startedMs = performance.now();
    try {
      if (dueMs === null) await seedSlice(store, accountId, now());
      else onFired(await evaluateSlice(parts, accountId));
      isDone = true;
    } catch (error) {
      onFailure(error);
    }
    if (isStopped()) break;
    await pause(performance.now() - startedMs);
  }
  return isDone;
}
