import type { AccountSettings, LinkGrant, OperationId, PublicOperationId, Schema, Scope, Tier } from './contract.js';

/**
 * A kind of credential: an API key, a session token, an access token of an authorization server, the cookie of a person's
 * page, or a source key or hub.
 */
export type GrantKind = 'key' | 'session' | 'oauth' | 'link' | 'source';

/**
 * Who may do what, until when, and because of whom. Read once from the credential of a request. Plain data, because it is
 * sent to another thread. Times are database times in epoch ms.
 */
export interface Grant {
  readonly kind: GrantKind;
  readonly accountId: string;
  /** The id in limits and records. That of a token is the id of the key that signed it, or of its OAuth client. */
  readonly keyId: string;
  /** Names what is stored of the credential, or of the key or account behind a token. Its end ends the grant. */
  readonly storedAs: string;
  readonly tier: Tier;
  /** Absent if every setting has its default. */
  readonly settings?: AccountSettings;
  readonly scopes: readonly Scope[];
  /** The earlier one of its own end and that of the key that created it. Infinity without an end, 0 once revoked. */
  readonly endsAtMs: number;
  /** An erasure since then ends what it may say of the person. Absent for a key. */
  readonly issuedAtMs?: number;
  /** The session of a session token. */
  readonly sessionId?: string;
  /**
   * The person. A session token has one if readings may name this person, in addition to that of the session. An OAuth
   * token and a hub have none if they may name everyone.
   */
  readonly subjectId?: string;
  /** What the ids of sessions begin with that a credential of one person chooses. Absent for a session token. */
  readonly namespace?: string;
  /** What the page of a link may do, when it was opened, and the API key that created the link. */
  readonly link?: { readonly grants: readonly LinkGrant[]; readonly openedAtMs: number; readonly makerKeyId: string };
  /** What the app of a source key sends, or the hub. */
  readonly sender?: Sender;
}

/** The app that a source key belongs to, or the hub of a connection. */
export interface Sender {
  readonly source: Schema<'Source'>;
  /** Zone of times without one. Null if none is known. */
  readonly timeZone: string | null;
  /** The encrypted secret with which a hub signs. */
  readonly signingSecret?: string | undefined;
}

/** Why a credential has no grant, and the id of a key that exists. Only the log contains them. */
export interface Refused {
  readonly grant?: undefined;
  readonly refusal: string;
  readonly keyId?: string;
}

export type Identity = { readonly grant: Grant } | Refused;

/** Identifies a credential by its text. An API key may be valid only from some addresses. */
export type Identify = (text: string, address?: string) => Promise<Identity>;

/** Identifies each kind of credential that the service accepts: that of an authorization server only if there is one. */
export type IdentifyByKind = Readonly<Record<Exclude<GrantKind, 'oauth'>, Identify>> & { readonly oauth?: Identify };

/** The caller of an operation. Public operations have none. */
export type CallerOf<Op extends OperationId> = Op extends PublicOperationId ? undefined : Grant;

/** Returns true for a token, and for the link of a page. A key may send and read what no token may. */
export function isToken({ kind }: Grant): boolean {
  return kind !== 'key' && kind !== 'source';
}

/** Returns how long an account keeps readings, in ms. `deploymentMs` applies to an account without its own setting. */
export function findKeptMs({ settings }: Pick<Grant, 'settings'>, deploymentMs: number): number {
  const hours = settings?.keep_readings_hours;
  return hours === undefined ? deploymentMs : hours * 3_600_000;
}

/** Returns true for a grant from before an erasure, which must not bring data of the person back. Times in epoch ms. */
export function isBeforeErasure({ issuedAtMs = Infinity }: Grant, erasedAtMs: number): boolean {
  return issuedAtMs <= erasedAtMs;
}
