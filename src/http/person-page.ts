import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, Response } from 'express';
import { faults, personLinks as settings } from '../../generated/spec.js';
import type { Config } from '../config/config.js';
import type { LinkGrant } from '../contract/contract.js';
import { findKeptMs, type Grant } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import type { Authenticate } from './admit.js';
import { type Exchange, requireCaller } from './exchange.js';

export interface PersonPageParts {
  /**
   * Opens a link. Resolves with the cookie. Undefined if the link is not valid or was opened before. Absent without a
   * PUBLIC_URL to which browsers send the cookie of a link.
   */
  readonly openLink?: ((secret: string) => Promise<string | undefined>) | undefined;
  readonly authenticate: Authenticate;
  readonly published: Pick<Config, 'publicUrl'>;
  /** The page sends no older reading. */
  readonly maxBackfillAgeMs: number;
  readonly now: () => number;
}

/** The path at which the page opens its link and reads what the link allows. */
const linkPath = '/link';
/** The grant of each operation that the page may call. The page has no other operation. */
const grants = new Map<string, LinkGrant>(
  Object.entries(settings.grants).flatMap(([grant, { operations }]) =>
    operations.map((operationId) => [operationId, grant as LinkGrant] as const),
  ),
);
const recentGrants: readonly string[] = Object.entries(settings.grants).flatMap(([grant, it]) =>
  'is_recent' in it ? grant : [],
);
const recentMs = settings.recent_minutes * 60_000;

/**
 * The requests of a person's page. A link is a credential like a token: the requests run the same operations. The cookie is
 * read only here, below its path, and no other credential counts.
 */
export function createPersonPage(parts: PersonPageParts) {
  const { openLink, authenticate, now, maxBackfillAgeMs } = parts;
  const { publicUrl } = parts.published;
  const { origin, pathname } = publicUrl === undefined ? { origin: undefined, pathname: '' } : new URL(publicUrl);
  const path = pathname.replace(/\/$/, '') + settings.api_path;

  /** Opens the link of the request. Resolves with the cookie. */
  async function open(request: Request, openLink: (secret: string) => Promise<string | undefined>): Promise<string> {
    requireOrigin(request);
    const [, secret = ''] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? [];
    const cookie = await openLink(secret);
    if (cookie === undefined) throw new ProblemError('invalid_link');
    request.headers.cookie = `${settings.cookie}=${cookie}`;
    return cookie;
  }

  function writeCookie(cookie: string, { endsAtMs }: Grant): string {
    const seconds = Math.floor((endsAtMs - now()) / 1000);
    return `${settings.cookie}=${cookie}; Max-Age=${seconds}; Path=${path}; HttpOnly; Secure; SameSite=Strict`;
  }

  function requireOrigin({ headers }: Request): void {
    if (origin === undefined || headers.origin !== origin) throw new ProblemError('page_required');
  }

  /** Rejects a write that the page itself did not send. */
  function requirePage(request: Request): void {
    requireOrigin(request);
    const [sent, expected] = [request.get(settings.token_header) ?? '', createToken(readCookie(request))].map((it) =>
      Buffer.from(it),
    ) as [Buffer, Buffer];
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw new ProblemError('page_required');
  }

  function requireGranted({ grants: own, openedAtMs }: NonNullable<Grant['link']>, grant: LinkGrant): void {
    if (!own.includes(grant)) throw new ProblemError('grant_required', { values: { grant } });
    if (recentGrants.includes(grant) && now() - openedAtMs > recentMs)
      throw new ProblemError('link_not_recent', { values: { minutes: String(settings.recent_minutes) } });
  }

  return {
    /** Sets the caller. Rejects an operation that the link does not allow. */
    async authenticate(exchange: Exchange, request: Request, response: Response): Promise<void> {
      response.setHeader('X-Robots-Tag', 'noindex');
      exchange.address = request.ip;
      if (!openLink) throw new ProblemError('path_not_found', { detail: faults.links_unavailable.detail });
      const isOpening = request.path === linkPath && request.method === 'POST';
      const opened = isOpening ? await open(request, openLink) : undefined;
      const caller = await authenticate(exchange, request, opened ?? readCookie(request));
      if (!caller.link) throw new ProblemError('invalid_link');
      if (opened !== undefined) response.setHeader('Set-Cookie', writeCookie(opened, caller));
      const { route } = exchange;
      if (!route) return;
      const grant = grants.get(route.operationId);
      if (!grant) throw new ProblemError('path_not_found');
      requireGranted(caller.link, grant);
      if (request.method !== 'GET') requirePage(request);
    },

    /** Responds with what the link allows, at its own path. Returns false for another path. */
    serveLink(exchange: Exchange, request: Request, response: Response): boolean {
      if (request.path !== linkPath || !['GET', 'POST'].includes(request.method)) return false;
      const caller = requireCaller(exchange);
      const { subjectId, endsAtMs, link } = caller;
      response.json({
        subject_id: subjectId,
        grants: link?.grants,
        expires_at: new Date(endsAtMs).toISOString(),
        kept_hours: findKeptMs(caller, maxBackfillAgeMs) / 3_600_000,
        page_token: createToken(readCookie(request)),
      });
      return true;
    },
  };
}

/** Returns the token of writes, which only the page that got it can know. It follows from the random cookie. */
function createToken(cookie: string): string {
  return createHmac('sha256', cookie).update('page token').digest('base64url');
}

/** Returns the cookie of the link. Empty if there is none, or several: another host of the domain may have set one. */
function readCookie({ headers }: Request): string {
  const prefix = `${settings.cookie}=`;
  const [first, ...more] = (headers.cookie ?? '').split(/; */).filter((it) => it.startsWith(prefix));
  return first === undefined || more.length > 0 ? '' : first.slice(prefix.length);
}
