import { createHmac, randomBytes } from 'node:crypto';
import { createDigest, deriveKey } from '../contract/derive-key.js';
import { type AnyChainedEntry, type Checkpoint, type NewEntry, nobody } from '../store/access-queries.js';
import { type ChainRows, createChainRows } from '../store/accesses.js';
import { introduceCodes } from '../store/first-codes.js';
import { type Evidence, type Extend, toEntry } from '../store/row-codes.js';
import type { Store } from '../store/store.js';

/** Signs the entries and checkpoints of chains with one key of SECRETS_KEY. */
export type ChainSigner = ReturnType<typeof createChainSigner>;

/** Returns a signer with subkeys of a secrets key. */
export function createChainSigner(secretsKey: string) {
  const entryKey = deriveKey(secretsKey, 'access entries');
  const checkpointKey = deriveKey(secretsKey, 'access checkpoints');
  const keyCheck = deriveKey(secretsKey, 'access record check value').toString('hex').slice(0, 16);
  return {
    /** Identifies the key, 16 hex digits. */
    keyCheck,
    /** Returns the code of an entry, which depends on the code of the previous entry (empty for the first one). */
    computeMac: (entry: Omit<AnyChainedEntry, 'mac'>, previous: string): string =>
      digest(entryKey, [...listFields(entry), previous]),
    sign(checkpoint: Omit<Checkpoint, 'signature' | 'keyCheck'>): Checkpoint {
      const { chainId, seq, mac, atMs } = checkpoint;
      return { ...checkpoint, keyCheck, signature: digest(checkpointKey, [chainId, keyCheck, seq, mac, atMs]) };
    },
  };
}

/** Returns all fields in a fixed order. JSON keeps their limits, so that no two entries have the same text. */
function listFields(entry: Omit<AnyChainedEntry, 'mac'>): unknown[] {
  const { chainId, seq, atMs, accountId, keyId, credential, action, operation, subject } = entry;
  return [chainId, seq, atMs, accountId, keyId, credential, action, operation, subject];
}

function digest(key: Buffer, fields: readonly unknown[]): string {
  return createHmac('sha256', key).update(JSON.stringify(fields)).digest('hex');
}

/** Returns the codes of rows for the keys of SECRETS_KEY, and stores the entries about them with `extend`. */
export function createEvidence(secretsKeys: readonly string[], extend: Extend | undefined): Evidence {
  return { sign: createDigest(secretsKeys, 'row codes'), extend };
}

/** Lets a store code its rows. Returns the chain of the process. Without `hasRecord`, no entry is stored. */
export function startEvidence(
  store: Pick<Store, 'keepEvidence' | 'run'>,
  secretsKeys: readonly [string, ...string[]],
  hasRecord: boolean,
  now: () => number,
) {
  const chain = createChain(secretsKeys[0], now);
  const evidence = createEvidence(secretsKeys, hasRecord ? chain.extend : undefined);
  store.keepEvidence(evidence);
  return { chain, evidence };
}

/** Does the same, and codes the rows of an earlier version before the process codes any row. */
export async function startCoding(...parts: Parameters<typeof startEvidence>) {
  const [store, , , now] = parts;
  const started = startEvidence(...parts);
  await store.run((knex) => introduceCodes(knex, now()));
  return started;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
/** Returns the number of the day (UTC). */
export const toDay = (ms: number) => Math.floor(ms / dayMs);

export type Chain = ReturnType<typeof createChain>;

/**
 * Creates the chain of a process, which only this process extends. Each day has a new chain (UTC), so that the purge can
 * delete whole chains. Its first entry names the previous chain. `now` is the time of the database in epoch ms.
 */
export function createChain(secretsKey: string, now: () => number) {
  const signer = createChainSigner(secretsKey);
  let head: Checkpoint | undefined;
  /** The chain that a transaction of unknown outcome has extended. */
  let doubtful: string | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  const attempted = new WeakMap<readonly NewEntry[], Checkpoint>();

  /** Reads what a transaction of unknown outcome has stored. */
  async function findHead(rows: ChainRows): Promise<Checkpoint | undefined> {
    if (doubtful === undefined) return head;
    const stored = await rows.lockCheckpoint(doubtful);
    if (stored && signer.sign(stored).signature === stored.signature) return stored;
    return head?.chainId === doubtful ? undefined : head;
  }

  async function append(rows: ChainRows, entries: readonly NewEntry[]): Promise<Checkpoint | undefined> {
    const from = await findHead(rows);
    const earlier = attempted.get(entries);
    // The outcome of an earlier attempt was unknown, and it was committed.
    if (earlier && (await rows.hasEntry(earlier))) return from;
    const batch = link(signer, from, entries, now());
    doubtful = batch.checkpoint.chainId;
    attempted.set(entries, batch.checkpoint);
    await rows.append(batch.entries, batch.checkpoint);
    return batch.checkpoint;
  }

  return {
    /** Returns true if the process has a chain, but none of today. */
    isOfEarlierDay: () => head !== undefined && toDay(head.atMs) !== toDay(now()),
    /** See `Extend`. The same entries can be added again if the outcome of their transaction is unknown. */
    async extend(...[transaction, entries]: Parameters<Extend>) {
      const earlier = turn;
      let release = () => {};
      turn = new Promise<void>((resolve) => (release = resolve));
      await earlier;
      try {
        const next = await append(createChainRows(transaction), entries);
        return (isCommitted: boolean) => {
          if (isCommitted) [head, doubtful] = [next, undefined];
          release();
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Returns the next entries of the chain, or of a new chain at the start of the process and of each day. */
function link(signer: ChainSigner, last: Checkpoint | undefined, added: readonly NewEntry[], nowMs: number) {
  const isSameDay = last !== undefined && toDay(last.atMs) === toDay(nowMs);
  const isNext = last !== undefined && !isSameDay;
  const all = isNext ? [toEntry('continue', 'process', { code: `${last.chainId} ${last.seq}` }), ...added] : added;
  const chain = isSameDay ? last : { chainId: randomBytes(8).toString('hex'), seq: 0, mac: '' };
  let { seq, mac } = chain;
  const entries = all.map(({ atMs = nowMs, subject = nobody, ...it }): AnyChainedEntry => {
    seq += 1;
    const entry = { ...it, subject, atMs: atMs - (atMs % minuteMs), chainId: chain.chainId, seq };
    mac = signer.computeMac(entry, mac);
    return { ...entry, mac };
  });
  return { entries, checkpoint: signer.sign({ chainId: chain.chainId, seq, mac, atMs: nowMs }) };
}
