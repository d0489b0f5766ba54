import { safetyCheck } from '../../generated/spec.js';
import type { Placing } from './conversation.js';
import { litellmSubjects } from './guardrail.js';
import { type CallerHeaders, presets } from './headers.js';

/** The environment variables of the command `gateway`. Its `--help` is generated from this table. */

/** An environment variable with its documentation. */
export interface Variable<T> {
  readonly help: string;
  /** Used when the variable is unset or empty. */
  readonly fallback: string;
  /** Describes the default when it is not one fixed value. */
  readonly defaultNote?: string;
  /** Throws an error whose message follows the name of the variable. */
  readonly read: (text: string) => T;
}

/** Returns the values of a table of variables. Throws one error that lists every invalid variable. */
export type ReadVariables = <T extends object>(
  env: Readonly<Record<string, string | undefined>>,
  table: { readonly [Name in keyof T]: Variable<T[Name]> },
) => T;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Base URLs of the models, with the version and without a trailing slash. */
export interface Upstreams {
  /** Ends before `/chat/completions`. Undefined: the gateway serves no OpenAI API. */
  readonly openai: URL | undefined;
  /** Ends before `/messages`. Undefined: the gateway serves no Anthropic API. */
  readonly anthropic: URL | undefined;
}

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly serviceUrl: string;
  readonly upstreams: Upstreams;
  /** Whether the model gets the names of active triggers. */
  readonly sharesTriggers: boolean;
  readonly callerHeaders: CallerHeaders;
  /** Whether the `user` of a request is the person, if no header names one. */
  readonly readsUser: boolean;
  /** Which of LiteLLM's ids is the person. */
  readonly litellmSubject: keyof typeof litellmSubjects;
  /** Place of the instruction in Chat Completions. */
  readonly placement: Placing;
  /** Time for all requests to the service before a request is forwarded, ms. */
  readonly stateTimeoutMs: number;
  /** Time until the headers of the model's response, and between two parts of its body, ms. */
  readonly upstreamTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** Settings that exclude each other, each with its remedy. */
  readonly warnings: readonly string[];
}

export const gatewayVariables = {
  GATEWAY_OPENAI_URL: optional(
    'OpenAI API or a compatible server, e.g. https://api.openai.com/v1',
    'none',
    readOptionalUrl,
  ),
  GATEWAY_ANTHROPIC_URL: optional(
    'Anthropic API or a compatible server, e.g. https://api.anthropic.com',
    'none',
    readOptionalUrl,
  ),
  SERVICE_URL: variable('URL of the state service', 'http://127.0.0.1:8080', readUrl),
  GATEWAY_SHARE_TRIGGERS: variable(
    "1: add the person's active triggers to the prompt, which discloses them to the vendor of the model",
    '0',
    readSwitch,
  ),
  GATEWAY_SESSION_HEADERS: variable(
    'Headers with the session, comma-separated. The first present one counts, e.g. X-State-Session,X-OpenWebUI-Chat-Id',
    'X-State-Session',
    readHeaderNames,
  ),
  GATEWAY_SUBJECT_HEADERS: variable(
    'Headers with the person, e.g. X-State-Subject,X-OpenWebUI-User-Id',
    'X-State-Subject',
    readHeaderNames,
  ),
  GATEWAY_PRESET: optional(
    `Front end whose headers also name the session and the person, as hashed ids: ${Object.keys(presets).join(' or ')}`,
    'none',
    (text) => (text === '' ? undefined : (readChoice(Object.keys(presets))(text) as keyof typeof presets)),
  ),
  GATEWAY_READ_USER: variable(
    "1: without such a header, the request's safety_identifier, user or metadata.user_id is the person",
    '0',
    readSwitch,
  ),
  GATEWAY_PLACEMENT: variable(
    'Place of the instruction in Chat Completions: first; last, which keeps the prompt cache of the vendor but is rejected by some models; or auto, which learns what each model accepts',
    'first',
    (text) => readChoice(['first', 'last', 'auto'])(text) as Placing,
  ),
  GATEWAY_LITELLM_SUBJECT: variable(
    "Person of a request through LiteLLM's guardrail: end_user, which the client states, or user, the owner of LiteLLM's key",
    'end_user',
    (text) => readChoice(Object.keys(litellmSubjects))(text) as keyof typeof litellmSubjects,
  ),
  GATEWAY_HOST: variable('Address to listen on', '127.0.0.1', (text) => text),
  GATEWAY_PORT: variable('Port to listen on. 0 selects a free port', '8090', integerBetween(0, 65_535)),
  GATEWAY_STATE_TIMEOUT_MS: variable(
    'Milliseconds that a request waits for the state before it is forwarded unchanged. More than SAFETY_TIMEOUT_MS',
    String(safetyCheck.gateway_timeout_ms),
    integerBetween(10, 10_000),
  ),
  SAFETY_TIMEOUT_MS: variable(
    "Milliseconds of the service's external check of messages. Only compared with GATEWAY_STATE_TIMEOUT_MS",
    String(safetyCheck.timeout_ms),
    integerBetween(10, 10_000),
  ),
  GATEWAY_UPSTREAM_TIMEOUT_SECONDS: variable(
    'Seconds until the model starts to respond, and between two parts of a response',
    '600',
    integerBetween(1, 3_600),
  ),
  GATEWAY_MAX_BODY_MB: variable('Maximum size of a request in MB', '32', integerBetween(1, 512)),
  LOG_LEVEL: variable(`Lowest level to log: ${logLevels.join(', ')}`, 'info', readChoice(logLevels)),
};

/** Throws an error that lists every invalid variable. */
export function readGatewayConfig(
  env: Readonly<Record<string, string | undefined>>,
  readVariables: ReadVariables,
): GatewayConfig {
  const values = readVariables(env, gatewayVariables);
  const { GATEWAY_OPENAI_URL: openai, GATEWAY_ANTHROPIC_URL: anthropic } = values;
  const { GATEWAY_STATE_TIMEOUT_MS: stateTimeoutMs, SAFETY_TIMEOUT_MS: safetyMs } = values;
  if (!openai && !anthropic) throw new Error('set GATEWAY_OPENAI_URL, GATEWAY_ANTHROPIC_URL or both');
  const tooShort = `GATEWAY_STATE_TIMEOUT_MS (${stateTimeoutMs}) is not above SAFETY_TIMEOUT_MS (${safetyMs}): while an external check (SAFETY_URL) is slow, no request gets the state`;
  return {
    host: values.GATEWAY_HOST,
    port: values.GATEWAY_PORT,
    logLevel: values.LOG_LEVEL,
    serviceUrl: withoutSlash(values.SERVICE_URL.href),
    upstreams: { openai: openai && openaiBase(openai), anthropic: anthropic && anthropicBase(anthropic) },
    sharesTriggers: values.GATEWAY_SHARE_TRIGGERS,
    callerHeaders: readCallerHeaders(values),
    readsUser: values.GATEWAY_READ_USER,
    litellmSubject: values.GATEWAY_LITELLM_SUBJECT,
    placement: values.GATEWAY_PLACEMENT,
    stateTimeoutMs,
    upstreamTimeoutMs: values.GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1000,
    bodyBytesMax: values.GATEWAY_MAX_BODY_MB * 1_000_000,
    warnings: stateTimeoutMs > safetyMs ? [] : [tooShort],
  };
}

type HeaderValues = Readonly<Record<'GATEWAY_SESSION_HEADERS' | 'GATEWAY_SUBJECT_HEADERS', readonly string[]>> & {
  readonly GATEWAY_PRESET: keyof typeof presets | undefined;
};

function readCallerHeaders(values: HeaderValues): CallerHeaders {
  const preset = values.GATEWAY_PRESET && presets[values.GATEWAY_PRESET];
  return {
    session: [...values.GATEWAY_SESSION_HEADERS, ...(preset ? [preset.session] : [])],
    subject: [...values.GATEWAY_SUBJECT_HEADERS, ...(preset ? [preset.subject] : [])],
    hashed: preset ? Object.values(preset) : [],
  };
}

function variable<T>(help: string, fallback: string, read: (text: string) => T): Variable<T> {
  return { help, fallback, read };
}

/** Returns a variable without a fixed default. `read` converts the empty text to the absent value. */
function optional<T>(help: string, defaultNote: string, read: (text: string) => T): Variable<T> {
  return { help, defaultNote, fallback: '', read };
}

function integerBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < min || number > max)
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`);
    return number;
  };
}

function readChoice(allowed: readonly string[]): (text: string) => string {
  return (text) => {
    if (!allowed.includes(text)) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`);
    return text;
  };
}

function readHeaderNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  const invalid = names.find((name) => !/^[a-z0-9-]+$/.test(name));
  if (invalid !== undefined) throw new Error(`must be names of headers, separated by commas, not "${text}"`);
  return names;
}

function readSwitch(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error(`must be 0 or 1, not "${text}"`);
  return text === '1';
}

function readOptionalUrl(text: string): URL | undefined {
  return text === '' ? undefined : readUrl(text);
}

/** Errors never contain the text, which may include a password. */
function readUrl(text: string): URL {
  const url = parseHttpUrl(text);
  if (!url || url.username || url.password || url.search || url.hash)
    throw new Error('must be an http or https URL without a user, a query and a fragment');
  return url;
}

function parseHttpUrl(text: string): URL | undefined {
  try {
    return /^https?:\/\//.test(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}

/** The base URL of OpenAI's SDK contains the version. */
function openaiBase(url: URL): URL {
  return new URL(withoutSlash(url.pathname) || '/v1', url);
}

/** The base URL of Anthropic's SDK omits the version. */
function anthropicBase(url: URL): URL {
  const path = withoutSlash(url.pathname);
  return new URL(path.endsWith('/v1') ? path : `${path}/v1`, url);
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}
