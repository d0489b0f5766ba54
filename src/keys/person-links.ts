import { personLinks as settings } from '../../generated/spec.js';
import type { Caller, LinkGrant, Schema, Scope } from '../contract/contract.js';
import { parseUrl } from '../contract/parse-url.js';
import { createValidationError, ProblemError } from '../contract/problem.js';
import type { KeyWriter } from '../store/keys.js';
import type { createPersonLinkLookup, FoundLink, LinkKey, PersonLink } from '../store/person-links.js';
import { createKeyRecordId, generateKey, hashKey, readScopes } from './identify.js';
import { createFindValid, type FindValidParts } from './made-keys.js';

const dayMs = 86_400_000;
const openMs = settings.open_hours * 3_600_000;
const secretFormat = new RegExp(`^${settings.secret_prefix}[0-9A-Za-z]{32}$`);
const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const linkIdFormat = /^lnk_[0-9a-f]{12}$/;
const allGrants = Object.keys(settings.grants) as LinkGrant[];

/** Returns the scopes that a key needs to give these grants, and that the page has. */
function listScopes(grants: readonly LinkGrant[]): ReadonlySet<Scope> {
  return new Set(grants.flatMap((it): readonly Scope[] => settings.grants[it].scopes));
}

/** Returns true for a PUBLIC_URL with https or a loopback address: browsers send the cookie of a link only there. */
export function mayHaveLinks(publicUrl: string | undefined): publicUrl is string {
  const url = publicUrl === undefined ? undefined : parseUrl(publicUrl);
  return url !== undefined && (url.protocol === 'https:' || loopback.test(url.hostname));
}

/** Creates a link. Resolves with the secret, of which the service stores only the hash. */
export async function createPersonLink(
  writer: KeyWriter,
  { accountId, keyId: makerKeyId }: Pick<Caller, 'accountId' | 'keyId'>,
  subjectId: string,
  { grants = ['read'], expires_in_days: days = settings.expires_in_days }: Schema<'LinkRequest'>,
  nowMs: number,
): Promise<{ readonly secret: string; readonly row: PersonLink }> {
  const maker = await writer.find(accountId, makerKeyId);
  const own = maker ? readScopes(maker) : new Set();
  const missing = [...listScopes(grants)].find((scope) => !own.has(scope));
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

/** The caller of a link and its permissions. */
export interface LinkIdentity {
  readonly caller: Caller;
  readonly scopes: ReadonlySet<Scope>;
}

export interface LinkParts extends FindValidParts<LinkKey, FoundLink> {
  readonly open: ReturnType<typeof createPersonLinkLookup>['open'];
  /** Returns the namespace of a person's sessions. */
  readonly toNamespace: (accountId: string, subjectId: string) => string;
}

/** The callers of links. `accountId` and `linkId` name a link of an open stream. */
export function createLinkCallers({ open, toNamespace, ...parts }: LinkParts) {
  const findUnended = createFindValid(parts);
  async function findValid(by: LinkKey): Promise<FoundLink | undefined> {
    const found = await findUnended(by);
    return found?.openedAtMs === null ? undefined : found;
  }
  async function identify(cookie: string): Promise<LinkIdentity | undefined> {
    const link = secretFormat.test(cookie) ? await findValid({ keyHash: hashKey(cookie) }) : undefined;
    if (!link) return undefined;
    const namespace = toNamespace(link.accountId, link.subjectId);
    return { caller: toCaller(link, namespace), scopes: listScopes(link.grants) };
  }
  return {
    identify,
    /** Opens a link. Resolves with the cookie. Undefined if the link is not valid or was opened before. */
    async open(secret: string): Promise<string | undefined> {
      if (!secretFormat.test(secret)) return undefined;
      const cookie = generateKey(settings.secret_prefix);
      const nowMs = parts.now();
      return (await open(hashKey(secret), hashKey(cookie), nowMs, nowMs - openMs)) ? cookie : undefined;
    },
    isLink: (keyId: string) => linkIdFormat.test(keyId),
    /** Returns true if streams of the link may go on. */
    isValid: async (accountId: string, linkId: string) => (await findValid({ accountId, linkId })) !== undefined,
  };
}

function toCaller(link: FoundLink, namespace: string): Caller {
  const {
    accountId,
    linkId: keyId,
    tier,
    settings: accountSettings,
    subjectId,
    grants,
    makerKeyId,
    expiresAtMs,
  } = link;
  const canRead = grants.includes('read') && { canRead: true as const };
  return {
    ...{ accountId, keyId, tier, settings: accountSettings },
    grant: { subjectId, namespace, issuedAtMs: link.createdAtMs, expiresAtMs, ...canRead },
    link: { grants, makerKeyId, openedAtMs: link.openedAtMs ?? 0 },
  };
}
