/** The upstreams of the gateway, and which of them gets a request. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Api, chatCompletions, messages, ollamaChat, responses } from './apis.js';
import { Refusal } from './refusal.js';

/** The path that the base URL of an SDK omits, by kind. The base URL of OpenAI's SDK contains it. */
const versions = { openai: '/v1', anthropic: '/v1', azure: '/openai', ollama: '/api' } as const;
export type Kind = keyof typeof versions;
export const kinds = Object.keys(versions) as readonly Kind[];

export interface Upstream {
  readonly name: string;
  readonly kind: Kind;
  /** Base URL with the version and without a trailing slash. */
  readonly base: URL;
  /** Whether it gets the same credential as the other shared upstreams, so that the model of a request chooses among them. */
  readonly isShared: boolean;
}

/** A path of an API, without what the base URL of an upstream replaces. */
export interface ApiPath {
  /** The kinds of upstreams that serve it. Without `X-LLM-Backend`, the first one counts. */
  readonly kinds: readonly [Kind, ...Kind[]];
  readonly rest: string;
  /** Undefined for a path whose requests are forwarded unchanged. */
  readonly api: Api | undefined;
}

export const backendHeader = 'x-llm-backend';
const azurePath = /^\/openai(?<rest>\/(?!v1\/).+)$/;
/** Clients of some vendors have a prefix before the version, e.g. `/openai/v1`. */
const versionedPath = /^(?<prefix>(?:\/[\w-]+){0,3}?)\/v1(?<rest>\/.+)$/;
/** Without the paths that change the models of the server, because it has no keys. */
const ollamaPath = /^(?:\/[\w-]+){0,3}?\/api(?<rest>\/(?:chat|generate|embed|embeddings|tags|show|ps|version))$/;
/** A segment of a path, which has no escapes, so that no vendor decodes it to a path of another API. */
const safeSegment = /^(?!\.{1,2}$)[\w.:@~-]+$/;

/** Returns undefined for a path that the gateway does not serve. */
export function readApiPath(pathname: string, headers: IncomingHttpHeaders): ApiPath | undefined {
  const azure = azurePath.exec(pathname)?.groups?.['rest'];
  const { prefix, rest = azure } = versionedPath.exec(pathname)?.groups ?? {};
  const ollama = ollamaPath.exec(pathname)?.groups?.['rest'];
  const found =
    azure !== undefined
      ? readAzurePath(azure)
      : prefix !== undefined && rest !== undefined
        ? readVersionedPath(prefix, rest, headers)
        : ollama && { kinds: ['ollama'] as const, rest: ollama, api: ollama === '/chat' ? ollamaChat : undefined };
  return found && isSafePath(found.rest) ? (found as ApiPath) : undefined;
}

function readAzurePath(rest: string) {
  const path = rest.replace(/^\/deployments\/[^/]+/, '');
  const api = path === '/chat/completions' ? chatCompletions : path === '/responses' ? responses : undefined;
  return { kinds: ['azure'] as const, rest, api };
}

/** Other paths of both APIs have the same names, e.g. `/v1/models`, so the prefix or the headers of Anthropic's SDK decide. */
function readVersionedPath(prefix: string, rest: string, headers: IncomingHttpHeaders) {
  if (rest.startsWith('/messages'))
    return { kinds: ['anthropic'] as const, rest, api: rest === '/messages' ? messages : undefined };
  const api = rest === '/chat/completions' ? chatCompletions : rest === '/responses' ? responses : undefined;
  if (api || prefix.endsWith('/openai')) return { kinds: ['openai'] as const, rest, api };
  const isAnthropic = prefix.endsWith('/anthropic') || 'anthropic-version' in headers || 'x-api-key' in headers;
  return { kinds: isAnthropic ? (['anthropic', 'openai'] as const) : (['openai', 'anthropic'] as const), rest, api };
}

/** The segments after these contain ids, with escaped slashes on some servers. They do not decide which API serves the path. */
const beforeIds = /^\/(?!deployments\/)[^/%]+\//;

function isSafePath(rest: string): boolean {
  const decoded = beforeIds.test(rest) ? rest.replaceAll(/%2f/gi, '/') : rest;
  return decoded
    .slice(1)
    .split('/')
    .every((it) => safeSegment.test(it));
}

/**
 * Returns the upstream that `X-LLM-Backend` names. Without the header, returns the one that has the name of its kind, or
 * whose credential is that of all others. Otherwise the client must choose, because the request contains a credential.
 */
export function findUpstream(upstreams: readonly Upstream[], path: ApiPath, headers: IncomingHttpHeaders): Upstream {
  const [kind] = path.kinds;
  const name = headers[backendHeader];
  const named = upstreams.find((it) => it.name === name);
  if (name !== undefined && !named) throw refuse(404, 'unknown_backend', 'X-LLM-Backend names no upstream');
  if (named && !path.kinds.includes(named.kind))
    throw refuse(404, 'unknown_backend', `the upstream in X-LLM-Backend is of the kind ${named.kind}: use its paths`);
  if (named) return named;
  const fitting = upstreams.filter((it) => it.kind === kind);
  const [first, ...others] = fitting;
  if (!first) throw refuse(404, 'no_upstream', `the gateway has no upstream for this path: ${remedies[kind]}`);
  const isOneCredential = others.length === 0 || fitting.every((it) => it.isShared);
  const chosen = fitting.find((it) => it.name === kind) ?? (isOneCredential ? first : undefined);
  if (!chosen) throw refuse(400, 'missing_backend', 'several upstreams serve this path: name one in X-LLM-Backend');
  return chosen;
}

/** Returns the upstream of the model `name/model`. Undefined unless it shares the credential of the `current` one. */
export function findUpstreamOfModel(upstreams: readonly Upstream[], current: Upstream, model: unknown) {
  if (!current.isShared || typeof model !== 'string') return undefined;
  return upstreams.find((it) => it.isShared && it.kind === current.kind && model.startsWith(`${it.name}/`));
}

const remedies: Readonly<Record<Kind, string>> = {
  openai: 'set GATEWAY_OPENAI_URL',
  anthropic: 'set GATEWAY_ANTHROPIC_URL',
  azure: 'add azure=azure:https://… to GATEWAY_UPSTREAMS',
  ollama: 'add ollama=ollama:http://… to GATEWAY_UPSTREAMS',
};

function refuse(status: number, code: string, message: string): Refusal {
  return new Refusal(status, status === 404 ? 'not_found_error' : 'invalid_request_error', code, message);
}

interface UpstreamValues {
  readonly GATEWAY_OPENAI_URL: URL | undefined;
  readonly GATEWAY_ANTHROPIC_URL: URL | undefined;
  readonly GATEWAY_UPSTREAMS: ReadonlyArray<Pick<Upstream, 'name' | 'kind'> & { readonly url: URL }> | undefined;
  readonly GATEWAY_SHARED_CREDENTIAL: readonly string[] | undefined;
}

/** Returns the upstreams of all variables. Throws an error if there is none, or if a name is unknown or not unique. */
export function listUpstreams(values: UpstreamValues): readonly Upstream[] {
  const {
    GATEWAY_OPENAI_URL: openai,
    GATEWAY_ANTHROPIC_URL: anthropic,
    GATEWAY_SHARED_CREDENTIAL: shared = [],
  } = values;
  const listed = [
    ...(openai ? [{ name: 'openai', kind: 'openai' as const, url: openai }] : []),
    ...(anthropic ? [{ name: 'anthropic', kind: 'anthropic' as const, url: anthropic }] : []),
    ...(values.GATEWAY_UPSTREAMS ?? []),
  ];
  const names = listed.map(({ name }) => name);
  if (names.length === 0) throw new Error('set GATEWAY_OPENAI_URL, GATEWAY_ANTHROPIC_URL or GATEWAY_UPSTREAMS');
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined)
    throw new Error(
      `GATEWAY_UPSTREAMS has the name ${repeated} twice, or with GATEWAY_${repeated.toUpperCase()}_URL: change it`,
    );
  const unknown = shared.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`GATEWAY_SHARED_CREDENTIAL names no upstream with "${unknown}"`);
  return listed.map(({ name, kind, url }) => ({
    name,
    kind,
    base: toBase(kind, url),
    isShared: shared.includes(name),
  }));
}

function toBase(kind: Kind, url: URL): URL {
  const path = url.pathname.replace(/\/+$/, '');
  const hasVersion = kind === 'openai' ? path !== '' : path.endsWith(versions[kind]);
  return new URL(hasVersion ? path : path + versions[kind], url);
}
