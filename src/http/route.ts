import type { Request, Response } from 'express';
import { personLinks } from '../../generated/spec.js';
import { definitions } from '../contract/definitions.js';
import { parseUrl } from '../../packages/settings/parse-url.js';
import { createHint, ProblemError } from '../contract/problem.js';
import { findSimilar } from '../contract/similar.js';
import type { Exchange, Params, Route } from './exchange.js';

interface Match {
  readonly route: Route;
  readonly params: Params;
}

export type Methods = ReadonlyMap<string, Match>;

type Router = ReturnType<typeof createRouter>;

/**
 * Returns a function that finds the operations at a path, by method. It returns undefined if the contract does not define
 * the path. An exact path takes precedence over a template. Several
 * templates may match one path, but never for the same method. An example is `/webhooks/{id}/test` and
 * `/webhooks/deliveries/{delivery_id}`.
 */
export function createRouter(routes: readonly Route[]) {
  const table = [...new Set(routes.map(({ template }) => template))].sort(namedFirst).map((template) => ({
    names: [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    // A parameter matches one percent-encoded path segment.
    pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`),
    routes: routes.filter((it) => it.template === template),
  }));
  return (path: string): Methods | undefined => {
    const found = new Map<string, Match>();
    for (const { names, pattern, routes } of table) {
      const params = readParams(names, pattern.exec(path));
      if (!params) continue;
      for (const route of routes) if (!found.has(route.method)) found.set(route.method, { route, params });
      if (names.length === 0) break;
    }
    return found.size > 0 ? found : undefined;
  };
}

/** Sorts exact paths before templates that could also match them (OpenAPI 3.0.3, Paths Object). */
function namedFirst(a: string, b: string): number {
  return Number(a.includes('{')) - Number(b.includes('{'));
}

/** Returns the decoded parameters. Undefined if the path does not match or a segment cannot be decoded. */
function readParams(names: readonly string[], match: RegExpExecArray | null): Params | undefined {
  try {
    return match === null
      ? undefined
      : Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]));
  } catch {
    return undefined;
  }
}

/**
 * Paths at which MCP clients look for an authorization server. A request without a key gets a 404, because a 401 would make
 * these clients use the service as an authorization server. With OAuth, another server issues the tokens.
 */
const isDiscovery = /^\/(?:\.well-known\/.*|register|authorize)$/;

/** A path of a source with a source key, or the id of a connection, as its last part. The router gets it in the query. */
const sourceWithKey = /^(\/v1\/sources\/[^/]+)\/([^/]+)$/;
type Keyed = { readonly key?: string | string[] };

/**
 * Finds the operation of a request. Treats HEAD as GET, because Node omits the body of the response. Returns the
 * operations at the path: undefined if the contract does not define the path.
 */
export function findRoute(router: Router, exchange: Exchange, request: Request): Methods | undefined {
  exchange.isHead = request.method === 'HEAD';
  if (exchange.isHead) request.method = exchange.method = 'GET';
  request.url = request.originalUrl = originForm(request.url);
  const [sent = '', query] = request.url.split('?', 2);
  const [, withoutKey, keyInPath = ''] = sourceWithKey.exec(sent) ?? [];
  const path = withoutKey ?? sent;
  const methods = router(path);
  const match = methods?.get(request.method);
  exchange.route = match?.route;
  if (match) exchange.params = match.params;
  // The getter of Express parses the query.
  if (query !== undefined) exchange.query = request.query;
  if (withoutKey) exchange.query = { ...exchange.query, key: [(exchange.query as Keyed).key ?? [], keyInPath].flat() };
  exchange.isPublic =
    isDiscovery.test(path) || (methods !== undefined && [...methods.values()].every((it) => it.route.isPublic));
  return methods;
}

/** Removes the prefix of a request of the person's page from its URL. Returns false for another request. */
export function takePagePath(request: Request): boolean {
  const url = originForm(request.url);
  const isOfPage = url.startsWith(personLinks.api_path);
  if (isOfPage) request.url = url.slice(personLinks.api_path.length - 1);
  return isOfPage;
}

/** Returns the path and query of a request target. Some proxies send the full URL (RFC 9112, 3.2.2). */
function originForm(target: string): string {
  const url = target.startsWith('/') ? undefined : parseUrl(target);
  return url ? url.pathname + url.search : target;
}

/** Returns the error of an unknown path (404) or method (405). */
export function rejectRoute(methods: Methods | undefined, { url }: Request, response: Response): ProblemError {
  if (methods)
    return rejectMethod(
      response,
      [...methods.keys()].flatMap((it) => (it === 'GET' ? ['GET', 'HEAD'] : [it])),
    );
  const path = findSimilarPath(url.split('?', 1)[0] ?? '');
  const hint = path === undefined ? createHint('all_paths') : createHint('similar_path', { path });
  return new ProblemError('path_not_found', { hint });
}

/** Sets `Allow` and returns the error of a method that a path does not support. */
export function rejectMethod(response: Response, allowed: readonly string[]): ProblemError {
  const methods = allowed.join(', ');
  response.set('Allow', methods);
  return new ProblemError('method_not_allowed', { hint: createHint('allowed_methods', { methods }) });
}

/** Longer paths are not compared, because each comparison takes time. */
const comparedMax = 200;

const templates = definitions.map((it) => it.template.split('/'));

/** Returns the path of the contract that a path resembles, also without `/v1`, with `/v1`, or behind the prefix of a proxy. */
function findSimilarPath(sent: string): string | undefined {
  if (sent.length > comparedMax) return undefined;
  const path = sent.replace(/\/+$/, '');
  for (const steps of [path, `/v1${path}`, path.replace(/^\/[^/]+/, '')].map((it) => it.split('/'))) {
    const found = templates.find((it) => it.length === steps.length && resembles(steps, it));
    if (found) return found.join('/');
  }
  return undefined;
}

/** Compares the fixed parts of a template. Its parameters may have any value. */
function resembles(steps: readonly string[], template: readonly string[]): boolean {
  const fixed = (it: readonly string[]) => it.filter((_, index) => !template[index]?.startsWith('{')).join('/');
  return findSimilar(fixed(steps), [fixed(template)]) !== undefined;
}
