import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Schema } from '../src/contract/contract.js';
import { allScopes } from '../src/keys/scopes.js';
import { makeAccount } from './calls.js';
import { assertConforms } from './conformance.js';
import { type Answer, client, type TestService } from './service.js';
import { textOf } from './text-of.js';

/** The places of a source key in a request. */
export type KeyPlace = 'header' | 'bearer' | 'query' | 'path';

export interface PostOptions {
  readonly place?: KeyPlace;
  /** Sends another credential than the key of the phone. */
  readonly credential?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isZipped?: boolean;
}

/** A simulated phone or watch with an app, and the operator's client of its account. */
export type Phone = Awaited<ReturnType<typeof connectPhone>>;

/** Creates an account with a source key of a person, as an operator does it. */
export async function connectPhone(
  service: Pick<TestService, 'url' | 'store' | 'clock'>,
  source: Schema<'Source'>,
  options: Partial<Schema<'SourceKeyRequest'>> = {},
) {
  const {
    key: serviceKey,
    accountId,
    keyId,
  } = await makeAccount(service, `phone-${randomUUID()}`, 'enterprise', {
    scopes: allScopes,
  });
  const operator = client(service.url, serviceKey, service.clock);
  const request = { subject_id: randomUUID(), source, ...options };
  const { body: created } = await operator.post('/v1/source-keys', request);
  const key: string = created.key;

  /** Posts a body as the app does it, and checks that the contract documents the response. */
  async function post(body: unknown, options: PostOptions = {}): Promise<Answer<ReturnType<typeof JSON.parse>>> {
    const { place = 'header', credential = key, headers = {}, isZipped = false } = options;
    const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const path = `/v1/sources/${source}`;
    const response = await fetch(service.url + path + toUrlPart(place, credential), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...toHeaders(place, credential),
        ...(isZipped && { 'Content-Encoding': 'gzip' }),
        ...headers,
      },
      body: isZipped ? gzipSync(text) : text,
    });
    const { body: answer } = await textOf(response);
    assertConforms('POST', path, response, answer);
    return { status: response.status, headers: response.headers, body: answer };
  }
  return { key, id: created.id as string, subjectId: request.subject_id, operator, serviceKey, accountId, keyId, post };
}

function toUrlPart(place: KeyPlace, credential: string): string {
  if (place === 'query') return `?key=${credential}`;
  return place === 'path' ? `/${credential}` : '';
}

function toHeaders(place: KeyPlace, credential: string): Record<string, string> {
  if (place === 'header') return { 'X-Service-Key': credential };
  return place === 'bearer' ? { Authorization: `Bearer ${credential}` } : {};
}

/**
 * Posts a body as Health Auto Export does it after a tap on the link, which configures it. `serviceUrl` is where the proxy of
 * the URL in the link forwards it.
 */
export async function postByDeepLink(
  link: string,
  body: unknown,
  serviceUrl: string,
): Promise<Answer<ReturnType<typeof JSON.parse>>> {
  const parameters = new URL(link).searchParams;
  const [url = '', pairs = ''] = ['url', 'headers'].map((name) => parameters.get(name) ?? '');
  const [name = '', value = ''] = pairs.split(',');
  const headers = { 'Content-Type': 'application/json', [name]: value };
  const { pathname } = new URL(url);
  const response = await fetch(serviceUrl + pathname, { method: 'POST', headers, body: JSON.stringify(body) });
  const { body: answer } = await textOf(response);
  assertConforms('POST', pathname, response, answer);
  return { status: response.status, headers: response.headers, body: answer };
}

/** Formats a time as Health Auto Export does it: local, with an offset without a colon. */
export function toLocal(ms: number, offsetMinutes = 60): string {
  const local = new Date(ms + offsetMinutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');
  const sign = offsetMinutes < 0 ? '-' : '+';
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60];
  return `${local} ${sign}${String(hours).padStart(2, '0')}${String(minutes).padStart(2, '0')}`;
}

/** Returns a metric of Health Auto Export with these values at these times, in epoch ms. */
export function metric(
  name: string,
  units: string,
  samples: ReadonlyArray<readonly [ms: number, value: number]>,
  source = 'Apple Watch',
) {
  const data = samples.map(([ms, value]) => ({
    date: toLocal(ms),
    source,
    ...(name === 'heart_rate' ? { Min: value, Avg: value, Max: value } : { qty: value }),
  }));
  return { name, units, data };
}
