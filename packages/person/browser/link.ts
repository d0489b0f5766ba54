import { facts, personLinks as settings } from '../../../generated/spec.js';
import { createStateClient, ProblemError, type StateClient } from '../../client/src/index.js';
import { learnClock } from '../../ui/clock.js';
import { t, type Text } from './texts.js';

/** What the link allows, as the service states it. */
export interface Link {
  readonly subject_id: string;
  readonly grants: ReadonlyArray<keyof typeof settings.grants>;
  readonly expires_at: string;
  /** Age of the oldest readings that the service stores. */
  readonly kept_hours: number;
  readonly page_token: string;
}

/** The service as the page calls it. */
export interface Page {
  readonly client: StateClient;
  readonly link: Link;
  readonly me: string;
  readonly signal: AbortSignal;
  readonly may: (grant: Link['grants'][number]) => boolean;
}

const apiUrl = new URL('api', new URL('./', location.href)).href;

/** Returns the link of this browser. Undefined if there is none, or it has ended. */
export const findLink = () => ask({ method: 'GET' });

/** Opens a link with its secret. Undefined if it is not valid, or was opened before. */
export const openLink = (secret: string) => ask({ method: 'POST', headers: { Authorization: `Bearer ${secret}` } });

async function ask(init: RequestInit): Promise<Link | undefined> {
  const response = await request(`${apiUrl}/link`, init);
  if (response.status === 401) return undefined;
  if (!response.ok) throw new Error(`${response.status}`);
  return (await response.json()) as Link;
}

async function request(input: string | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, cache: 'no-store' });
  learnClock(response.headers);
  return response;
}

/** Returns the service for a link. Calls `onEnded` when the link has ended. */
export function connect(link: Link, signal: AbortSignal, onEnded: () => void): Page {
  const send: typeof fetch = async (input, init) => {
    const call = new Request(input, init);
    call.headers.delete('X-Service-Key');
    call.headers.set(settings.token_header, link.page_token);
    const response = await request(call);
    if (response.status === 401 && !signal.aborted) onEnded();
    return response;
  };
  // The cookie is the credential. The client requires a key, which is not sent.
  const client = createStateClient({ baseUrl: apiUrl, key: 'cookie', fetch: send, maxRetries: 2, timeoutMs: 15_000 });
  return { client, link, me: link.subject_id, signal, may: (grant) => link.grants.includes(grant) };
}

/** Returns true if the service knows nothing about the person. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 404;
}

/** Rejects with an error, unless the service knows nothing about the person. */
export function ifUnknown(error: unknown): undefined {
  if (!isUnknown(error)) throw error;
}

/** What a person can do about an error, by its code. */
const remedies: Readonly<Record<string, Text>> = {
  link_not_recent: 'not_recent',
  consent_off: 'withdraw_off',
  consent_required: 'dispute_consent',
  fact_end: 'dispute_time',
  timestamp_in_future: 'dispute_time',
  timestamp_too_old: 'dispute_time',
  too_many_disputes: 'dispute_many',
};

/** Returns one sentence about a failed change. */
export function explain(error: unknown): string {
  const { hours_max: hours } = facts.disputes;
  // A field for a time is empty.
  if (error instanceof RangeError) return t('dispute_time', { hours });
  const code = error instanceof ProblemError ? (error.faults[0]?.code ?? error.code) : '';
  return t(remedies[code] ?? 'failed', { hours });
}
