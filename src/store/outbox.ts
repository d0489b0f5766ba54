import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { nameColumns, unionAll } from './columns.js';
import type { EventBody } from './event-kinds.js';
import { buildInsert, isMysql, runStatements, selectKeys, skipThrough, type Statement } from './rows.js';
import type { ReadScope } from './scope.js';

export interface SessionWithEvents {
  readonly accountId: string;
  readonly sessionId: string;
}

/** An event to append. `seq` increases with each event of its session. */
export interface OutboxEntry {
  readonly sessionId: string;
  readonly seq: number;
  readonly subjectId?: string | undefined;
  readonly payload: EventBody;
}

/** An event in the outbox. `payload` is the exact body that receivers get. */
export interface OutboxEvent {
  readonly sessionId: string;
  readonly seq: number;
  /** Subject of the session. Null if the session has no subject. */
  readonly subjectId: string | null;
  readonly payload: string;
  /** The account's webhook epoch in the transaction that wrote the event. */
  readonly epoch: number;
}

/** Returns an event of a person for the outbox, in a queue of its own: a failing delivery delays no other event. */
export function createPersonEvent(subjectId: string, payload: EventBody, nowMs: number): OutboxEntry {
  return { sessionId: `${payload.event} ${randomUUID()}`, seq: nowMs, subjectId, payload };
}

/** Returns true for an event or delivery of a person. No session has its queue, because ids contain no spaces. */
export function isOfPerson({ sessionId }: Pick<OutboxEntry, 'sessionId'>): boolean {
  return sessionId.includes(' ');
}

const eventColumns = nameColumns('sessionId seq subjectId payload epoch');

/** Outbox of one account. Ingest appends events, the worker expands them to deliveries. */
export function createOutboxTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('outbox').where({ account_id: accountId });

  return {
    /** Adds the events. */
    async append(events: readonly OutboxEntry[], epoch: number, nowMs: number): Promise<void> {
      await runStatements({ knex }, this.toAppend(events, epoch, nowMs));
    },

    /** Returns the statement that adds the events. */
    toAppend(events: readonly OutboxEntry[], epoch: number, nowMs: number): Statement[] {
      const rows = events.map(({ sessionId, seq, subjectId = null, payload }) => ({
        account_id: accountId,
        session_id: sessionId,
        seq,
        subject_id: subjectId,
        payload: JSON.stringify(payload),
        epoch,
        created_at_ms: nowMs,
      }));
      return buildInsert(knex, 'outbox', rows);
    },

    /** Locks and returns the first `max` events of the sessions up to an epoch. Orders the events of each session. */
    async lock(sessionIds: readonly string[], epochMax: number, max: number): Promise<OutboxEvent[]> {
      return mine()
        .whereIn('session_id', sessionIds)
        .where('epoch', '<=', epochMax)
        .select(eventColumns)
        .orderBy(['session_id', 'seq'])
        .limit(max)
        .forUpdate();
    },

    /** Deletes exactly these events, because ingest may append other events to the same sessions at the same time. */
    async remove(events: ReadonlyArray<Pick<OutboxEvent, 'sessionId' | 'seq'>>): Promise<void> {
      if (events.length === 0) return;
      const keys = events.map(({ sessionId, seq }): [string, number] => [sessionId, seq]);
      await selectKeys(mine(), ['session_id', 'seq'], keys).delete();
    },
  };
}

/** Returns when the oldest event in the outbox was written, in epoch ms. Undefined if the outbox is empty. */
export async function findOldestEvent(knex: Knex): Promise<number | undefined> {
  const [oldest] = await findAccountsWithEvents(knex);
  return oldest?.oldestMs;
}

/** Maximum number of accounts per query. Each account adds a part to the statement. */
const accountsMax = 100;

/**
 * Returns the sessions of the oldest events without duplicates. Considers up to `max` events per account, so that the
 * events of one account do not delay the events of another.
 */
export async function findSessionsWithEvents(knex: Knex, max: number): Promise<SessionWithEvents[]> {
  const accounts = await findAccountsWithEvents(knex);
  if (accounts.length === 0) return [];
  const queries = accounts
    .slice(0, accountsMax)
    .map(({ accountId }) =>
      knex('outbox')
        .select({ accountId: 'account_id', sessionId: 'session_id' })
        .where({ account_id: accountId })
        .orderBy('created_at_ms')
        .limit(max),
    );
  const rows: SessionWithEvents[] = await unionAll(knex, queries);
  return [...new Map(rows.map((row) => [`${row.accountId} ${row.sessionId}`, row])).values()];
}

interface AccountWithEvents {
  readonly accountId: string;
  readonly oldestMs: number;
}

/**
 * Returns the accounts with events, oldest event first. Skips from account to account in the index, so that the number
 * of events does not matter.
 */
async function findAccountsWithEvents(knex: Knex): Promise<AccountWithEvents[]> {
  const oldest = 'min(created_at_ms) as oldestMs';
  const found: AccountWithEvents[] = isMysql(knex)
    ? await knex('outbox').select({ accountId: 'account_id' }, knex.raw(oldest)).groupBy('account_id')
    : await skipThrough<AccountWithEvents>(
        knex,
        `select account_id as accountId, created_at_ms as oldestMs from outbox
         where account_id > ? order by account_id, created_at_ms limit 1`,
        ({ accountId }) => accountId,
      );
  return found.sort((a, b) => a.oldestMs - b.oldestMs);
}
