import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { decodeProtectedHeader } from 'jose';
import { Refusal } from './refusal.js';

const exposedHeaders = ['X-State', 'X-State-Adapted', 'X-State-Skipped', 'X-State-Safety', 'Retry-After'];
const preflightSeconds = 600;
const keyInPage =
  'a web page shows its X-State-Key to every visitor, so it may not send an API key: let your server issue a session token with POST /v1/tokens, and send that';

/** Web pages that may call the gateway: those of these origins, without cookies, and only with a session token. */
export function createPages(origins: readonly string[]) {
  const allow = cors({ origin: [...origins], exposedHeaders, maxAge: preflightSeconds });
  return {
    /** Adds the headers that let the page read the response. Returns true for a preflight request, which it answers. */
    admit(request: IncomingMessage, response: ServerResponse): boolean {
      if (origins.length === 0) return false;
      let isAnswered = true;
      // Calls back at once, because the origins are a list.
      allow(request, response, () => (isAnswered = false));
      return isAnswered;
    },
    /** Throws a Refusal for a credential that every visitor of the page could use. */
    requireToken({ headers }: IncomingMessage, credential: string): void {
      if (!origins.includes(headers.origin ?? '')) return;
      if (!isSessionToken(credential)) throw new Refusal(403, 'permission_error', 'key_in_page', keyInPage);
      // Some servers of models reject the origins that they do not know.
      delete headers.origin;
    },
  };
}

function isSessionToken(credential: string): boolean {
  try {
    return decodeProtectedHeader(credential).typ === 'session+jwt';
  } catch {
    return false;
  }
}
