import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { oauth as settings } from '../../generated/spec.js';
import { parseUrl } from '../../packages/settings/parse-url.js';
import { ProblemError } from '../contract/problem.js';

export interface IssuerKeysParts {
  readonly issuer: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Called when the keys cannot be read. The message names the reason. */
  readonly onFailure: (error: Error) => void;
}

const [keysMs, staleMs, waitMs, refetchMs, documentMs, outageMs] = [
  settings.keys_seconds * 1_000,
  settings.stale_seconds * 1_000,
  settings.wait_seconds * 1_000,
  settings.refetch_seconds * 1_000,
  settings.document_seconds * 1_000,
  settings.outage_seconds_max * 1_000,
];

/** Runs a verification of a token with the keys of the authorization server. */
export type WithIssuerKeys = <T>(verify: (findKey: JWTVerifyGetKey) => Promise<T>) => Promise<T>;

/**
 * Returns a function that verifies with the keys of the authorization server. It keeps the keys, so that an outage of the
 * server is not noticed for a day. A token of another key is verified again if the server has other keys now. Throws
 * service_unavailable if there are no keys, because the token may be valid.
 */
export function createIssuerKeys({ issuer, now, onFailure }: IssuerKeysParts): WithIssuerKeys {
  let kept: { readonly find: JWTVerifyGetKey; readonly readAtMs: number } | undefined;
  let triedAtMs = -Infinity;
  let reading: Promise<void> | undefined;
  /** Ends with the last reading, or before it. */
  let wait: Promise<void> | undefined;
  // A clock that was set back must not make keys or attempts look recent.
  const sinceMs = (atMs: number) => Math.abs(now() - atMs);

  /** Reads the keys, unless they were read a moment ago. Never rejects. */
  function read(): Promise<void> {
    const isEarly = sinceMs(triedAtMs) < (kept ? refetchMs : documentMs);
    if (reading || isEarly) return reading ?? Promise.resolve();
    triedAtMs = now();
    reading = readIssuerKeys(issuer)
      .then((find) => void (kept = { find, readAtMs: now() }))
      .catch(onFailure)
      .finally(() => (reading = undefined));
    wait = Promise.race([reading, sleep(waitMs, undefined, { ref: false })]);
    return reading;
  }

  async function findKept() {
    if (kept && sinceMs(kept.readAtMs) > outageMs) kept = undefined;
    const ageMs = kept ? sinceMs(kept.readAtMs) : Infinity;
    if (ageMs > keysMs) void read();
    // A withdrawn key must not answer after an idle time. Younger keys serve without a wait.
    if (ageMs > staleMs) await (kept ? wait : reading);
    if (!kept) throw new ProblemError('service_unavailable', { cause: 'the keys of OAUTH_ISSUER are not known' });
    return kept;
  }

  return async (verify) => {
    const used = await findKept();
    try {
      return await verify(used.find);
    } catch (error) {
      if (!isOfOtherKey(error)) throw error;
      await read();
      if (!kept || kept === used) throw error;
      return verify(kept.find);
    }
  };
}

/** Returns true if the keys have no such key, or another one under its id. */
function isOfOtherKey(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
}

/** Reads the keys of an authorization server. Rejects with an error that names the document and the reason. */
export async function readIssuerKeys(issuer: string): Promise<JWTVerifyGetKey> {
  const { jwks_uri: uri, issuer: named } = await readMetadata(issuer);
  if (named !== issuer)
    throw new Error(`the metadata names the issuer ${JSON.stringify(named)}: set OAUTH_ISSUER exactly to it`);
  const url = typeof uri === 'string' ? parseUrl(uri) : undefined;
  const { protocol, hostname } = new URL(issuer);
  // Plain http is allowed only where the issuer has it: on the same loopback address.
  if (!url || (url.protocol !== 'https:' && (url.protocol !== protocol || url.hostname !== hostname)))
    throw new Error('the metadata has no jwks_uri with https');
  const keys = await readDocument(url.href);
  if (keys === undefined) throw new Error(`${url.href} does not exist`);
  return createLocalJWKSet(keys as unknown as JSONWebKeySet);
}

/** Reads the metadata of OpenID Connect, or else of OAuth (RFC 8414). */
async function readMetadata(issuer: string): Promise<Record<string, unknown>> {
  const { origin, pathname } = new URL(issuer);
  const places = [
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`,
  ];
  for (const place of places) {
    const metadata = await readDocument(place);
    if (metadata) return metadata;
  }
  throw new Error(`${places.join(' and ')} do not exist`);
}

/** Reads a JSON object, within the limits of time and size. Resolves with undefined for a 404. Follows no redirect. */
async function readDocument(url: string): Promise<Record<string, unknown> | undefined> {
  try {
    const signal = AbortSignal.timeout(documentMs);
    const response = await fetch(url, { redirect: 'manual', signal, headers: { Accept: 'application/json' } });
    if (response.status === 404) return void (await response.body?.cancel());
    if (response.status !== 200) throw new Error(`status ${response.status}, and no redirect is followed`);
    const parts: Uint8Array[] = [];
    let bytes = 0;
    // Leaving the loop cancels the rest.
    for await (const part of response.body ?? []) {
      bytes += part.length;
      if (bytes > settings.document_bytes_max) throw new Error(`more than ${settings.document_bytes_max} bytes`);
      parts.push(part);
    }
    const document: unknown = JSON.parse(Buffer.concat(parts).toString());
    if (typeof document !== 'object' || document === null || Array.isArray(document)) throw new Error('no JSON object');
    return document as Record<string, unknown>;
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(`${url}: ${cause instanceof Error ? cause.message : message}`, { cause: error });
  }
}
