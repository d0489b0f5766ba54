import type { Logger } from 'pino';
import { type Grant, isToken } from '../contract/grant.js';
import { toWhoseKey, type Whose } from '../contract/whose.js';
import { type AccessEntry, erasedPerson, everyone, type NewEntry, nobody } from '../store/access-queries.js';
import type { AccessTable } from '../store/accesses.js';
import type { DigestId } from '../store/erased-ids.js';
import { repeat } from '../store/repeat.js';
import { toEntry } from '../store/row-codes.js';
import type { Chain } from './chain.js';

/** A request that read, exported or erased personal data. */
export interface Access extends Omit<AccessEntry, 'subject' | 'atMs'> {
  /** Whose data. That of a session is recorded as that of its person. */
  readonly whose: Whose;
}

export type AccessRecord = ReturnType<typeof startAccessRecord>;

export interface AccessRecordParts {
  readonly accesses: AccessTable;
  readonly digestId: DigestId;
  readonly chain: Chain;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  readonly log: Logger;
}

const writeEveryMs = 500;
const minuteMs = 60_000;
/** Bounds the memory while the database is unavailable. */
const waitingMax = 100_000;

type Waiting = Access & { readonly atMs: number };

/**
 * Collects accesses in memory and stores them in the chain of the process. No request waits for it, and no lock is shared
 * with other processes. Stores an entry at the start, at the end and at least once a day, so that a gap is visible.
 */
export function startAccessRecord({ accesses, digestId, chain, now, log }: AccessRecordParts) {
  const waiting: Waiting[] = [];
  let merged = { minute: 0, names: new Set<string>() };
  /** Entries of a write that failed. It is repeated unchanged, because it may have been committed. */
  let unfinished: readonly NewEntry[] = [toEntry('start', 'process', {})];
  let lost = 0;

  async function take(): Promise<readonly NewEntry[]> {
    // A copy, because accesses that arrive during the queries have no subject yet.
    const batch = [...waiting];
    const subjects = await findSubjects(accesses, digestId, batch, now());
    // Taken after the queries, so that accesses stay in memory if a query fails.
    waiting.splice(0, batch.length);
    // Forgets an access that was not recorded because its person has no data. A later one in the same minute may be
    // recorded.
    for (const it of batch) if (!subjects.has(it)) merged.names.delete(nameEntry(it));
    return batch.flatMap(({ whose: _, ...it }, index) => {
      const subject = subjects.get(batch[index] as Waiting);
      return subject === undefined ? [] : [{ ...it, subject }];
    });
  }

  async function write(): Promise<void> {
    if (unfinished.length === 0 && waiting.length > 0) unfinished = await take();
    if (unfinished.length === 0 && !chain.isOfEarlierDay()) return;
    await accesses.append(chain.extend, unfinished);
    unfinished = [];
  }

  const writing = repeat({
    everyMs: writeEveryMs,
    async work() {
      if (lost > 0)
        log.error({ accesses: lost }, 'accesses missing in the record: the database was unavailable too long');
      lost = 0;
      await write();
    },
    onFailure: (err) => log.warn({ err }, 'access record not written: retried every half second'),
  });
  return {
    /** Adds an access. Returns immediately. The access is stored within a second. */
    add(access: Access): void {
      const atMs = now();
      const minute = atMs - (atMs % minuteMs);
      // A later request in the same minute may concern data that the erased person sent after the erasure.
      if (merged.minute !== minute || merged.names.size >= waitingMax || erasesPerson(access))
        merged = { minute, names: new Set() };
      const name = nameEntry(access);
      if (merged.names.has(name)) return;
      merged.names.add(name);
      if (waiting.length < waitingMax) waiting.push({ ...access, atMs });
      else lost += 1;
    },
    /** Stores the remaining accesses. */
    async close(): Promise<void> {
      await writing.close();
      try {
        await write();
        // Again, because an unfinished batch is written first.
        await write();
        await accesses.append(chain.extend, [toEntry('stop', 'process', {})]);
      } catch (error) {
        log.warn({ err: error, accesses: waiting.length }, 'accesses lost at shutdown');
      }
    },
  };
}

const actions = {
  reads: 'read',
  exports: 'export',
  erases: 'erase',
  replaces: 'write',
  none: undefined,
  writes: undefined,
} as const;

/** Returns the access of a request. Undefined if its operation does not read, export, replace or erase personal data. */
export function toAccess(
  personalData: keyof typeof actions,
  operation: string,
  whose: Whose,
  caller: Grant | undefined,
): Access | undefined {
  const action = actions[personalData];
  if (!action || !caller) return undefined;
  const { accountId, keyId, kind } = caller;
  const credential = kind === 'link' ? 'link' : isToken(caller) ? 'token' : 'key';
  return { accountId, keyId, credential, action, operation, whose };
}

/** Returns true for the erasure of a whole person, whom the entry must not name. */
function erasesPerson({ operation }: Pick<Access, 'operation'>): boolean {
  return operation === 'deleteSubject';
}

function nameEntry({ accountId, keyId, credential, operation, whose }: Access): string {
  return JSON.stringify([accountId, keyId, credential, operation, toWhoseKey(whose)]);
}

/** Returns the subject of each access, as an entry states it. An access to a person without data is absent. */
async function findSubjects(
  accesses: AccessTable,
  digestId: DigestId,
  all: readonly Waiting[],
  nowMs: number,
): Promise<Map<Waiting, string>> {
  const found = new Map<Waiting, string>();
  for (const accountId of new Set(all.map((it) => it.accountId))) {
    const mine = all.filter((it) => it.accountId === accountId);
    const sessions = mine.flatMap(({ whose }) => (whose.kind === 'session' ? [whose.sessionId] : []));
    const subjects = await accesses.findSubjects(accountId, [...new Set(sessions)]);
    const findPerson = ({ whose }: Waiting) =>
      whose.kind === 'session' ? subjects.get(whose.sessionId) : whose.kind === 'person' ? whose.subjectId : undefined;
    const accessedAtMs = new Map<string, number>();
    for (const it of mine) {
      const person = erasesPerson(it) ? undefined : findPerson(it);
      if (person !== undefined) accessedAtMs.set(person, it.atMs);
    }
    const pseudonyms = await accesses.assignPseudonyms(accountId, accessedAtMs, digestId, nowMs);
    for (const it of mine) {
      const person = findPerson(it);
      const subject = person === undefined ? (it.whose.kind === 'account' ? everyone : nobody) : pseudonyms.get(person);
      if (erasesPerson(it)) found.set(it, erasedPerson);
      else if (subject !== undefined) found.set(it, subject);
    }
  }
  return found;
}
