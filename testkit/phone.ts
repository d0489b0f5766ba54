import { createHmac, randomUUID } from 'node:crypto';
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
  readonly signal?: AbortSignal;
}

/** A simulated phone or watch with an app, and the operator's client of its account. */
export type Phone = Awaited<ReturnType<typeof connectPhone>>;

/** Creates an account with a source key of a person, as an operator does it. */
export async function connectPhone(
  service: Pick<TestService, 'url' | 'store' | 'clock'>,
  source: Schema<'Source'>,
  options: Partial<Schema<'SourceKeyRequest'>> = {},
) {
  const { serviceKey, operator, accountId, keyId } = await makeOperator(service);
  const request = { subject_id: randomUUID(), source, ...options };
  const { body: created } = await operator.post('/v1/source-keys', request);
  const key: string = created.key;

  /** Posts a body as the app does it, and checks that the contract documents the response. */
  async function post(body: unknown, options: PostOptions = {}): Promise<Answer<ReturnType<typeof JSON.parse>>> {
    const { place = 'header', credential = key, headers = {}, isZipped = false, signal } = options;
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
      ...(signal && { signal }),
    });
    const { body: answer } = await textOf(response);
    assertConforms('POST', path, response, answer);
    return { status: response.status, headers: response.headers, body: answer };
  }
  return { key, id: created.id as string, subjectId: request.subject_id, operator, serviceKey, accountId, keyId, post };
}

async function makeOperator(service: Pick<TestService, 'url' | 'store' | 'clock'>) {
  const account = `phone-${randomUUID()}`;
  const { key, ...made } = await makeAccount(service, account, 'enterprise', { scopes: allScopes });
  return { ...made, account, serviceKey: key, operator: client(service.url, key, service.clock) };
}

export type HubName = 'open_wearables' | 'terra' | 'junction';

export interface HubPostOptions {
  /** Default: the secret of the connection. */
  readonly secret?: string;
  /** Time of the signature. Default: now. */
  readonly atMs?: number;
  /** The signed text. Default: the body. */
  readonly signed?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The last part of the path. Default: the id of the connection. */
  readonly id?: string;
}

/** Returns a signing secret of the form that the hub uses. */
export function createHubSecret(hub: HubName): string {
  const random = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
  return hub === 'terra' ? random.toString('hex') : `whsec_${random.toString('base64')}`;
}

/** Creates an account with the connection of a hub, and returns a function that posts as the hub does. */
export async function connectHub(service: Pick<TestService, 'url' | 'store' | 'clock'>, hub: HubName) {
  const { operator, accountId } = await makeOperator(service);
  const secret = createHubSecret(hub);
  const { body: created } = await operator.post('/v1/source-keys', { source: hub, signing_secret: secret });

  async function post(body: unknown, options: HubPostOptions = {}): Promise<Answer<ReturnType<typeof JSON.parse>>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { atMs = service.clock.nowMs, signed = text, id = created.id, headers } = options;
    const path = `/v1/sources/${hub}`;
    const response = await fetch(`${service.url}${path}/${id}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...signAsHub(hub, options.secret ?? secret, signed, Math.floor(atMs / 1000)),
        ...headers,
      },
      body: text,
    });
    const { body: answer } = await textOf(response);
    assertConforms('POST', path, response, answer);
    return { status: response.status, headers: response.headers, body: answer };
  }
  return { post, operator, accountId, secret, created };
}

/** Returns the headers with which a hub signs a text. */
export function signAsHub(hub: HubName, secret: string, text: string, atSeconds: number): Record<string, string> {
  const hmac = (key: Buffer, prefix: string) => createHmac('sha256', key).update(prefix + text);
  if (hub === 'terra') {
    const hex = hmac(Buffer.from(secret), `${atSeconds}.`).digest('hex');
    return { 'terra-signature': `t=${atSeconds},v1=${hex}` };
  }
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signature = hmac(key, `msg_1.${atSeconds}.`).digest('base64');
  // While a secret is replaced, there are two signatures.
  const signatures = `v1,${'A'.repeat(43)}= v1,${signature}`;
  return { 'svix-id': 'msg_1', 'svix-timestamp': String(atSeconds), 'svix-signature': signatures };
}

/** Returns an event of a hub with heart rates of a person at these times, in epoch ms. */
export function heartRateEvent(
  hub: HubName,
  person: string,
  samples: ReadonlyArray<readonly [ms: number, value: number]>,
): object {
  const at = (ms: number) => `${new Date(ms + 3_600_000).toISOString().slice(0, 19)}+01:00`;
  if (hub === 'open_wearables') {
    const [source, rest] = [
      { provider: 'garmin', device: 'Forerunner 255' },
      { unit: 'bpm', is_daily_total: null },
    ];
    const all = samples.map(([ms, value]) => ({ timestamp: at(ms), type: 'heart_rate', value, source, ...rest }));
    const series = { series_type: 'heart_rate', sample_count: all.length, samples: all };
    return { type: 'heart_rate.created', data: { user_id: person, provider: 'garmin', ...series } };
  }
  if (hub === 'terra') {
    const hr_samples = samples.map(([ms, bpm]) => ({ timestamp: at(ms), bpm, context: 0 }));
    const heart_rate_data = { summary: { avg_hr_bpm: 70 }, detailed: { hr_samples, hrv_samples_sdnn: null } };
    const user = { user_id: randomUUID(), provider: 'GARMIN', reference_id: person };
    return { type: 'daily', user, data: [{ heart_rate_data, device_data: { name: 'Forerunner 255' } }] };
  }
  const data = samples.map(([ms, value]) => ({ timestamp: at(ms), value, unit: 'bpm', timezone_offset: 3600 }));
  const source = { name: 'Garmin', slug: 'garmin', type: 'watch' };
  const names = { user_id: randomUUID(), client_user_id: person, team_id: randomUUID() };
  return { event_type: 'daily.data.heartrate.created', ...names, data: { user_id: names.user_id, source, data } };
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
