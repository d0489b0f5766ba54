import type { Knex } from 'knex';
import type { AnyChainedEntry, Checkpoint, NewEntry } from '../store/access-queries.js';
import { type AccessTable, createAccessTable, signLink } from '../store/accesses.js';
import type { DigestId } from '../store/erased-ids.js';
import { toEntry } from '../store/row-codes.js';
import { type ChainSigner, createChainSigner, createEvidence, toDay } from './chain.js';
import { addToLedger, createLedger, findRowFaults, type Ledger } from './verify-rows.js';

const pageRows = 1_000;
const hourMs = 3_600_000;

export interface VerifyOptions {
  readonly secretsKeys: readonly string[];
  readonly digestId: DigestId;
  /** Chains that ended earlier are not verified, because a purge may be deleting them. Epoch ms. */
  readonly expiredBeforeMs: number;
  readonly nowMs: number;
}

/**
 * Verifies every chain that is not expired: each entry, their order and the checkpoint after the last one. Then verifies
 * the links of persons and the rows that have codes. `knex` reads a snapshot, so the service may run meanwhile.
 *
 * Resolves with one sentence per fault, and per process that ended without an entry (`silences`). A copy of the
 * checkpoints detects later that a whole chain was removed. `corrections` are the entries that accept the present rows.
 */
export async function verifyRecord(knex: Knex, options: VerifyOptions) {
  const { secretsKeys, digestId, expiredBeforeMs, nowMs } = options;
  const accesses = createAccessTable(knex);
  const ledger = createLedger(expiredBeforeMs);
  const triggers = (await accesses.triggers()).map((it) => `trigger ${it}: the service uses none, so drop it`);
  const chains = await verifyChains(accesses, secretsKeys.map(createChainSigner), ledger);
  const links = await verifyLinks(accesses, digestId, ledger);
  const rows = await findRowFaults(knex, createEvidence(secretsKeys, undefined), ledger);
  const checkpoints = [...chains.verified.values()];
  const silences = checkpoints
    .filter(({ chainId, atMs }) => chains.open.has(chainId) && toDay(atMs) < toDay(nowMs - hourMs))
    .map(({ chainId, atMs }) => `chain ${chainId}: its process stored nothing after ${new Date(atMs).toISOString()}`);
  return {
    chains: checkpoints.length,
    entries: checkpoints.reduce((sum, { seq }) => sum + seq, 0),
    faults: [...triggers, ...chains.faults, ...links.faults, ...rows.faults],
    silences,
    checkpoints,
    corrections: [...links.corrections, ...rows.corrections],
  };
}

/** `verified` are the checkpoints of chains without a fault of their own. `open` are chains without an end. */
async function verifyChains(accesses: AccessTable, signers: readonly ChainSigner[], ledger: Ledger) {
  const faults: string[] = [];
  const verified = new Map<string, Checkpoint>();
  const open = new Set<string>();
  for (const chainId of await accesses.chainIds()) {
    const checkpoint = await accesses.findCheckpoint(chainId);
    const signer = signers.find(({ keyCheck }) => keyCheck === checkpoint?.keyCheck);
    const fault = findCheckpointFault(checkpoint, signer);
    if (fault !== undefined) faults.push(`chain ${chainId}: ${fault}`);
    // A purge may be deleting an expired chain.
    if (fault !== undefined || !checkpoint || !signer || checkpoint.atMs < ledger.expiredBeforeMs) continue;
    const actions = new Set<string>();
    const onEntry = (entry: AnyChainedEntry) => {
      actions.add(entry.action);
      addToLedger(ledger, entry);
    };
    faults.push(...(await findFaults(accesses, checkpoint, signer, onEntry)));
    verified.set(chainId, checkpoint);
    if ((actions.has('start') || actions.has('continue')) && !actions.has('stop')) open.add(chainId);
  }
  for (const { chainId, seq, next } of ledger.continued) {
    if ((verified.get(chainId)?.seq ?? 0) < seq) faults.push(`chain ${chainId}, before ${next}: entries were removed`);
    open.delete(chainId);
  }
  return { faults, verified, open };
}

async function verifyLinks(accesses: AccessTable, digestId: DigestId, ledger: Ledger) {
  const faults: string[] = [];
  const corrections: NewEntry[] = [];
  const changes = ledger.tables.get('access_subjects')?.codes;
  for await (const links of await accesses.links())
    for (const { accountId, pseudonym, subjectId, code } of links) {
      const codes = signLink(digestId, accountId, pseudonym, subjectId);
      if (!codes.includes(code))
        faults.push(`link of ${pseudonym}: it was changed or added, or its key is not in SECRETS_KEY`);
      if (!codes.some((it) => (changes?.get(it)?.balance ?? 0) < 0)) continue;
      faults.push(`link of ${pseudonym}: it was put back after the erasure of its person`);
      corrections.push(toEntry('add', 'access_subjects', { account_id: accountId, code }));
    }
  return { faults, corrections };
}

function findCheckpointFault(checkpoint: Checkpoint | undefined, signer: ChainSigner | undefined): string | undefined {
  if (!checkpoint) return 'the checkpoint was removed';
  if (!signer) return 'no key of SECRETS_KEY signed it: add the key that was in use (SECRETS_KEY=NEW,OLD)';
  if (signer.sign(checkpoint).signature !== checkpoint.signature) return 'the checkpoint was changed';
  return undefined;
}

async function findFaults(
  accesses: AccessTable,
  checkpoint: Checkpoint,
  signer: ChainSigner,
  onEntry: (entry: AnyChainedEntry) => void,
): Promise<string[]> {
  const { chainId } = checkpoint;
  const unlinked = await accesses.findUnlinked(chainId);
  const faults = unlinked.map((pseudonym) => `chain ${chainId}: the link of ${pseudonym} was removed`);
  const early = await accesses.countBefore(chainId);
  if (early > 0) faults.push(`chain ${chainId}: ${early} entries were added before its first entry`);
  let previous = { seq: 0, mac: '' };
  for (;;) {
    const page = await accesses.chainAfter(chainId, previous.seq, pageRows);
    const known = page.filter(({ seq }) => seq <= checkpoint.seq);
    for (const entry of known) {
      const fault = findEntryFault(entry, previous, signer);
      if (fault !== undefined) faults.push(`chain ${chainId}, entry ${entry.seq}: ${fault}`);
      onEntry(entry);
      previous = entry;
    }
    if (known.length < page.length) faults.push(`chain ${chainId}: an entry was added after the checkpoint`);
    if (known.length < pageRows) break;
  }
  if (previous.seq < checkpoint.seq)
    faults.push(`chain ${chainId}: entries ${previous.seq + 1} to ${checkpoint.seq} at its end were removed`);
  else if (previous.mac !== checkpoint.mac) faults.push(`chain ${chainId}: its last entry was changed`);
  return faults;
}

function findEntryFault(
  entry: AnyChainedEntry,
  previous: Pick<AnyChainedEntry, 'seq' | 'mac'>,
  signer: ChainSigner,
): string | undefined {
  if (entry.seq !== previous.seq + 1) return `entries ${previous.seq + 1} to ${entry.seq - 1} before it were removed`;
  if (signer.computeMac(entry, previous.mac) !== entry.mac) return 'it was changed, or its place was';
  return undefined;
}
