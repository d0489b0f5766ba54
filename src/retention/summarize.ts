import { floorHour, type Hour, hourMs, stateMs } from '../../packages/score/summary.js';
import { type ExpiredReading, findSubjects } from '../store/expired-readings.js';
import type { Store } from '../store/store.js';
import { createHourWriter } from '../store/subject-hours.js';
import { computeHours } from './hours.js';

export interface SummarizeParts {
  readonly store: Pick<Store, 'read' | 'transact' | 'run'>;
  /** Hours that begin earlier are not stored in epoch ms. */
  readonly sinceMs: number;
  /** Runs one task and pauses after it, so that ingest has priority. */
  readonly paced: (work: () => Promise<void>) => Promise<void>;
  readonly signal?: AbortSignal | undefined;
}

/** Stores the hours that depend on these readings. Resolves with false if it was aborted before all are stored. */
export type Summarize = (readings: readonly ExpiredReading[]) => Promise<boolean>;

interface Person {
  readonly accountId: string;
  readonly subjectId: string;
  /** Start of each hour to store, in epoch ms. */
  readonly hours: Set<number>;
}

/**
 * Returns the function that stores hours before their readings are deleted. No reading of an hour is deleted before the
 * hour is stored, and a stored hour never changes. Two processes, or a repeated run after a crash, therefore store the
 * same hours.
 *
 * Every hour is complete: the purge deletes only readings whose hour ingest no longer accepts.
 */
export function createSummarize({ store, sinceMs, paced, signal }: SummarizeParts): Summarize {
  const done = new Set<string>();

  async function findPeople(readings: readonly ExpiredReading[]): Promise<Person[]> {
    const people = new Map<string, Person>();
    for (const account of new Set(readings.map((reading) => reading.account))) {
      const mine = readings.filter((reading) => reading.account === account);
      const sessions = await store.run((knex) =>
        findSubjects(knex, account, [...new Set(mine.map(({ incarnation }) => incarnation))]),
      );
      const subjects = new Map(sessions.map((session) => [session.incarnation, session]));
      for (const { incarnation, timestamp_ms } of mine) {
        const session = subjects.get(incarnation);
        if (!session) continue;
        const { accountId, subjectId } = session;
        const key = `${accountId} ${subjectId}`;
        const person = people.get(key) ?? { accountId, subjectId, hours: new Set() };
        people.set(key, person);
        // The state of the reading may last into the next hour.
        for (const startMs of [floorHour(timestamp_ms), floorHour(timestamp_ms + stateMs)])
          if (startMs >= sinceMs && !done.has(`${key} ${startMs}`)) person.hours.add(startMs);
      }
    }
    return [...people.values()].filter(({ hours }) => hours.size > 0);
  }

  async function summarize(person: Person): Promise<void> {
    const { accountId, subjectId, hours: starts } = person;
    const scope = store.read(accountId);
    for (;;) {
      const incarnations = new Set<string>();
      const hours: Hour[] = [];
      for (const fromMs of starts) {
        const computed = await computeHours(scope, {
          ...{ subjectId, fromMs, toMs: fromMs + hourMs, nowMs: Infinity },
          onRead: (readings) => void readings.forEach(({ incarnation }) => incarnations.add(incarnation)),
        });
        hours.push(...computed.hours.values());
      }
      if (hours.length === 0) break;
      const isStored = await store.transact((scopeOf) =>
        createHourWriter(scopeOf(accountId)).add(subjectId, hours, [...incarnations]),
      );
      // If `false`, a session was deleted meanwhile, and the hours must not contain its readings.
      if (isStored) break;
    }
    for (const startMs of starts) done.add(`${accountId} ${subjectId} ${startMs}`);
  }

  return async (readings) => {
    for (const person of await findPeople(readings)) {
      if (signal?.aborted) return false;
      await paced(() => summarize(person));
    }
    return true;
  };
}
