import { personLinks as settings } from '../generated/spec.js';
import type { Schema } from '../src/contract/contract.js';
import type { TestService } from './service.js';
import { textOf } from './text-of.js';

/** The origin of PUBLIC_URL of services whose page no browser opens. */
export const pageOrigin = 'http://127.0.0.1:9';
export const pageEnv = { PUBLIC_URL: pageOrigin };

type Target = Pick<TestService, 'url' | 'post'>;
type Headers = Readonly<Record<string, string>>;

/** Creates a link, by default for `anna`. */
export async function createLink(service: Target, request: Schema<'LinkRequest'> = {}, subjectId = 'anna') {
  const { status, body } = await service.post(`/v1/subjects/${subjectId}/links`, request);
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body as Schema<'Link'> & { readonly url: string };
}

/** Sends a request of the page with these headers. */
export async function send({ url }: Pick<TestService, 'url'>, path: string, init: RequestInit = {}) {
  const response = await fetch(`${url}${settings.api_path}${path.replace(/^\//, '')}`, init);
  const { body, text } = await textOf(response);
  return { status: response.status, headers: response.headers, body: body as ReturnType<JSON['parse']>, text };
}

/** Opens a link as its page does. The response has the cookie. */
export function open(service: Pick<TestService, 'url'>, secret: string, headers: Headers = { Origin: pageOrigin }) {
  return send(service, 'link', { method: 'POST', headers: { ...headers, Authorization: `Bearer ${secret}` } });
}

export const readSecret = (link: { readonly url: string }) => link.url.split('#')[1] ?? '';

/** Creates and opens a link. Returns its page, which sends requests with its cookie, origin and token. */
export async function openPage(service: Target, request: Schema<'LinkRequest'> = {}, subjectId = 'anna') {
  const link = await createLink(service, request, subjectId);
  const { status, headers, body } = await open(service, readSecret(link));
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const Cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const own = { Cookie, Origin: pageOrigin, [settings.token_header]: String(body['page_token']) };
  const { read, write } = createCalls(service, own);
  return { link, headers: own, read, write };
}

function createCalls(service: Pick<TestService, 'url'>, own: Headers) {
  return {
    read: (path: string, headers: Headers = {}) => send(service, path, { headers: { ...own, ...headers } }),
    write: (method: string, path: string, body?: unknown, headers: Headers = {}) =>
      send(service, path, {
        method,
        headers: { ...own, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
