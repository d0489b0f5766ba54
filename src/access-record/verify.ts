import type { ChainedEntry, Checkpoint } from '../store/access-queries.js';
import { type AccessTable, signLink } from '../store/accesses.js';
import type { DigestId } from '../store/erased-ids.js';
import { type ChainSigner, createChainSigner } from './chain.js';

const pageRows = 1_000;

/**
 * Verifies every chain that is not expired: each entry, their order, the checkpoint after the last one, and the links of
 * their persons. Finds every changed, added, removed or reordered entry and link. The service may run meanwhile.
 *
 * Resolves with one sentence per fault, and with the verified checkpoints. A copy of the checkpoints detects later that a
 * whole chain was removed.
 */
export async function verifyRecord(
  accesses: AccessTable,
  secretsKeys: readonly string[],
  digestId: DigestId,
  expiredBeforeMs: number,
) {
  const signers = secretsKeys.map(createChainSigner);
  const faults: string[] = [];
  const checkpoints: Checkpoint[] = [];
  let entries = 0;
  for (const chainId of await accesses.chainIds()) {
    const checkpoint = await accesses.findCheckpoint(chainId);
    const signer = signers.find(({ keyCheck }) => keyCheck === checkpoint?.keyCheck);
    const fault = findCheckpointFault(checkpoint, signer);
    if (fault !== undefined) faults.push(`chain ${chainId}: ${fault}`);
    if (fault !== undefined || !checkpoint || !signer) continue;
    // A purge may be deleting the chain.
    if (checkpoint.atMs < expiredBeforeMs) continue;
    faults.push(...(await findFaults(accesses, checkpoint, signer)));
    checkpoints.push(checkpoint);
    entries += checkpoint.seq;
  }
  for await (const links of await accesses.links())
    for (const { accountId, pseudonym, subjectId, code } of links)
      if (!signLink(digestId, accountId, pseudonym, subjectId).includes(code))
        faults.push(`link of ${pseudonym}: it was changed or added, or its key is not in SECRETS_KEY`);
  return { chains: checkpoints.length, entries, faults, checkpoints };
}

function findCheckpointFault(checkpoint: Checkpoint | undefined, signer: ChainSigner | undefined): string | undefined {
  if (!checkpoint) return 'the checkpoint was removed';
  if (!signer) return 'no key of SECRETS_KEY signed it: add the key that was in use (SECRETS_KEY=NEW,OLD)';
  if (signer.sign(checkpoint).signature !== checkpoint.signature) return 'the checkpoint was changed';
  return undefined;
}

async function findFaults(accesses: AccessTable, checkpoint: Checkpoint, signer: ChainSigner): Promise<string[]> {
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
      previous = entry;
    }
    if (known.length < page.length && (await accesses.findCheckpoint(chainId))?.seq === checkpoint.seq)
      faults.push(`chain ${chainId}: an entry was added after the checkpoint`);
    if (known.length < pageRows) break;
  }
  if (previous.seq < checkpoint.seq)
    faults.push(`chain ${chainId}: entries ${previous.seq + 1} to ${checkpoint.seq} at its end were removed`);
  else if (previous.mac !== checkpoint.mac) faults.push(`chain ${chainId}: its last entry was changed`);
  return faults;
}

function findEntryFault(
  entry: ChainedEntry,
  previous: Pick<ChainedEntry, 'seq' | 'mac'>,
  signer: ChainSigner,
): string | undefined {
  if (entry.seq !== previous.seq + 1) return `entries ${previous.seq + 1} to ${entry.seq - 1} before it were removed`;
  if (signer.computeMac(entry, previous.mac) !== entry.mac) return 'it was changed, or its place was';
  return undefined;
}
