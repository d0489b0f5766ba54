import { sources as settings } from '../../generated/spec.js';
import { findHub } from '../../packages/recordings/sources/index.js';
import type { Schema } from '../contract/contract.js';
import { createValidationError, type ProblemError } from '../contract/problem.js';
import type { AuditEntry } from '../store/key-audit.js';
import type { KeyTable, KeyWriter } from '../store/keys.js';
import type { SourceKey } from '../store/source-keys.js';
import { createKeyRecordId, generateKey, hashKey } from './identify.js';

const dayMs = 24 * 60 * 60 * 1000;
const daysDefault = 180;
/** Enough characters of a key to distinguish keys in a list. */
const displayCharacters = 7;

/** Who creates or removes a source key: an API key, or null for the command line. */
export interface Maker {
  readonly accountId: string;
  readonly keyId: string | null;
  /** The link through which a person creates it. */
  readonly linkId?: string;
  /** As in the audit log: the API key, or the user of the command line. */
  readonly actor: string;
}

/** Encrypts a secret for a place, which is the only one where it can be decrypted. */
type Seal = (secret: string, place: string) => string;

/**
 * Creates a source key. Resolves with the key in plain text, of which the service stores only the hash, or with the
 * connection of a hub, which has no key. Throws a ProblemError if the person or account has too many, or the request does
 * not fit the source.
 */
export async function createSourceKey(
  writer: KeyWriter,
  { accountId, keyId, linkId, actor }: Maker,
  request: Schema<'SourceKeyRequest'>,
  nowMs: number,
  seal?: Seal,
): Promise<{ readonly key?: string; readonly row: SourceKey }> {
  const { subject_id, source, signing_secret: secret, expires_in_days = daysDefault, time_zone: timeZone } = request;
  const problem = findProblem(request);
  if (problem) throw problem;
  const subjectId = subject_id ?? null;
  const keys = writer.sourceKeys(accountId);
  await keys.lockAccount();
  const most = subjectId === null ? settings.connections_max : settings.keys_per_subject_max;
  if ((await keys.list(subjectId, nowMs, most)).length >= most)
    throw createValidationError('too_many_source_keys', { pointer: '' }, String(most));
  const sourceKeyId = createKeyRecordId('srk', 12);
  const key = secret === undefined ? generateKey(settings.key_prefix) : undefined;
  const row = await keys.insert({
    ...{
      accountId,
      subjectId,
      source,
      timeZone: timeZone ?? null,
      makerKeyId: keyId,
      linkId: linkId ?? null,
      sourceKeyId,
    },
    ...{ lastUsedAtMs: null, lastPost: null },
    keyHash: hashKey(key ?? sourceKeyId),
    displayPrefix: (key ?? sourceKeyId).slice(0, displayCharacters),
    signingSecret: secret === undefined || !seal ? null : seal(secret, namePlace(accountId, sourceKeyId)),
    createdAtMs: nowMs,
    expiresAtMs: nowMs + expires_in_days * dayMs,
  });
  const details = { source, expires_at: new Date(row.expiresAtMs).toISOString() };
  await record(writer, row, { action: 'create', atMs: nowMs, actor, details });
  return { ...(key !== undefined && { key }), row };
}

/** Returns the error of a request that does not fit its source: a hub has a secret, another source a person. */
function findProblem({
  subject_id,
  source,
  signing_secret: secret,
  time_zone,
}: Schema<'SourceKeyRequest'>): ProblemError | undefined {
  const hub = findHub(source);
  const [required, forbidden] = hub
    ? (['signing_secret', 'subject_id'] as const)
    : (['subject_id', 'signing_secret'] as const);
  const given = { subject_id, signing_secret: secret };
  if (given[required] === undefined) return createValidationError('missing', { pointer: `/${required}` });
  if (given[forbidden] !== undefined) return createValidationError('extra_forbidden', { pointer: `/${forbidden}` });
  if (hub && !hub.signature.secret.test(secret ?? ''))
    return createValidationError('signing_secret', { pointer: '/signing_secret' });
  if (time_zone !== undefined && !isTimeZone(time_zone))
    return createValidationError('time_zone_invalid', { pointer: '/time_zone' });
  return undefined;
}

/** Names the place of a secret: it can only be decrypted for its own connection. */
function namePlace(accountId: string, sourceKeyId: string): string {
  return `${accountId} ${sourceKeyId}`;
}

/** Ends a source key. Resolves with false if the account has no such key. */
export function removeSourceKey(
  keys: KeyTable,
  { accountId, actor }: Maker,
  sourceKeyId: string,
  nowMs: number,
): Promise<boolean> {
  return keys.transact(async (writer) => {
    const removed = await writer.sourceKeys(accountId).remove(sourceKeyId);
    if (!removed || removed.expiresAtMs <= nowMs) return false;
    await record(writer, removed, { action: 'revoke', atMs: nowMs, actor, details: { source: removed.source } });
    return true;
  });
}

/** Adds a change to the audit log, which is never erased. It therefore does not name the person. */
function record(
  writer: KeyWriter,
  { accountId, sourceKeyId: keyId, displayPrefix: keyPrefix }: SourceKey,
  change: Pick<AuditEntry, 'action' | 'atMs' | 'actor' | 'details'>,
): Promise<void> {
  return writer.audit({ accountId, entryId: createKeyRecordId('aud', 20), keyId, keyPrefix, ...change });
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}
