import { personLinks as settings } from '../../generated/spec.js';
import type { LinkGrant, Schema } from '../contract/contract.js';
import type { Grant } from '../contract/grant.js';
import { parseUrl } from '../../packages/settings/parse-url.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import type { KeyWriter } from '../store/keys.js';
import type { PersonLink } from '../store/person-links.js';
import { createKeyRecordId, forms, generateKey, hashKey } from './identify.js';
import { listScopes, readScopes } from './scopes.js';

const dayMs = 86_400_000;
const openMs = settings.open_hours * 3_600_000;
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const allGrants = Object.keys(settings.grants) as LinkGrant[];

/** Returns true for a PUBLIC_URL with https or a loopback address: browsers send the cookie of a link only there. */
export function mayHaveLinks(publicUrl: string | undefined): publicUrl is string {
  const url = publicUrl === undefined ? undefined : parseUrl(publicUrl);
  return url !== undefined && (url.protocol === 'https:' || loopback.test(url.hostname));
}

/** Creates a link. Resolves with the secret, of which the service stores only the hash. */
export async function createPersonLink(
  writer: KeyWriter,
  { accountId, keyId: makerKeyId }: Pick<Grant, 'accountId' | 'keyId'>,
  subjectId: string,
  { grants = ['read'], expires_in_days: days = settings.expires_in_days }: Schema<'LinkRequest'>,
  nowMs: number,
): Promise<{ readonly secret: string; readonly row: PersonLink }> {
  const maker = await writer.find(accountId, makerKeyId);
  const own = maker ? readScopes(maker) : [];
  const missing = listScopes(grants).find((scope) => !own.includes(scope));
  if (missing !== undefined) throw new ProblemError('insufficient_scope', { values: { scope: missing } });
  // Locked, so that two requests together do not exceed the maximum.
  await writer.sourceKeys(accountId).lockAccount();
  const links = writer.personLinks(accountId);
  const most = settings.links_per_subject_max;
  if ((await links.list(subjectId, nowMs)).length >= most)
    throw createValidationError('too_many_links', { pointer: '' }, String(most));
  const secret = generateKey(settings.secret_prefix);
  const row = await links.insert({
    ...{ accountId, subjectId, makerKeyId, linkId: createKeyRecordId('lnk', 12), keyHash: hashKey(secret) },
    grants: allGrants.filter((it) => grants.includes(it)),
    ...{ createdAtMs: nowMs, openedAtMs: null, expiresAtMs: nowMs + days * dayMs },
  });
  return { secret, row };
}

export function toLink(link: PersonLink): Schema<'Link'> {
  const { linkId: id, subjectId: subject_id, grants, createdAtMs, openedAtMs, expiresAtMs } = link;
  const toText = (ms: number) => new Date(ms).toISOString();
  return {
    ...{ id, subject_id, grants: [...grants], created_at: toText(createdAtMs) },
    open_until: toText(Math.min(createdAtMs + openMs, expiresAtMs)),
    expires_at: toText(expiresAtMs),
    opened_at: openedAtMs === null ? null : toText(openedAtMs),
  };
}

/** Replaces the hash of a secret by that of a cookie, unless it was opened before or is not younger than `sinceMs`. */
type Open = (secretHash: string, cookieHash: string, nowMs: number, sinceMs: number) => Promise<boolean>;

/** Returns a function that opens a link. It resolves with the cookie. Undefined if the link is not valid or was opened. */
export function createOpenLink(open: Open, now: () => number) {
  return async (secret: string): Promise<string | undefined> => {
    if (!forms.link.test(secret)) return undefined;
    const cookie = generateKey(settings.secret_prefix);
    const nowMs = now();
    return (await open(hashKey(secret), hashKey(cookie), nowMs, nowMs - openMs)) ? cookie : undefined;
  };
}
