import { safetyCheck } from '../../generated/spec.js';
import {
  createIntegerReader,
  defineOptionalVariable,
  defineVariable,
  listChoices,
  logLevels,
  readHeaderNames,
  readKeyHeaders,
  readOrigins,
  readSwitch,
  readVariables,
  splitList,
} from '../settings/variables.js';
import type { Placing } from './conversation.js';
import { litellmSubjects } from './guardrail.js';
import { type CallerHeaders, presets } from './headers.js';
import { readUpstreams, readUrl } from './read-setting.js';
import { kinds, listUpstreams, type Upstream } from './upstreams.js';

/** The environment variables of the command `gateway`. Its `--help` is generated from this table. */

export interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly serviceUrl: string;
  readonly upstreams: readonly Upstream[];
  /** Origins of the web pages that may call the gateway. */
  readonly corsOrigins: readonly string[];
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
  GATEWAY_OPENAI_URL: defineOptionalVariable(
    'OpenAI API or a compatible server, e.g. https://api.openai.com/v1',
    'none',
    readUrl,
  ),
  GATEWAY_ANTHROPIC_URL: defineOptionalVariable(
    'Anthropic API or a compatible server, e.g. https://api.anthropic.com',
    'none',
    readUrl,
  ),
  GATEWAY_UPSTREAMS: defineOptionalVariable(
    `Further upstreams, comma-separated: NAME=KIND:URL, with the kind ${kinds.join(', ')}. X-LLM-Backend names one. The one that has the name of its kind is its default`,
    'none',
    readUpstreams,
  ),
  GATEWAY_SHARED_CREDENTIAL: defineOptionalVariable(
    'Names of upstreams that get the same credential, e.g. small,large. The model small/NAME chooses among them',
    'none',
    splitList,
  ),
  GATEWAY_CORS_ORIGINS: defineOptionalVariable(
    'Origins of web pages that may call the gateway with session tokens, e.g. https://app.example.com',
    'none',
    readOrigins,
  ),
  SERVICE_URL: defineVariable('URL of the state service', 'http://127.0.0.1:8080', readUrl),
  GATEWAY_SHARE_TRIGGERS: defineVariable(
    "1: add the person's active triggers to the prompt, which discloses them to the vendor of the model",
    '0',
    readSwitch,
  ),
  GATEWAY_SESSION_HEADERS: defineVariable(
    'Headers with the session, comma-separated. The first present one counts, e.g. X-State-Session,X-OpenWebUI-Chat-Id',
    'X-State-Session',
    readHeaderNames,
  ),
  GATEWAY_SUBJECT_HEADERS: defineVariable(
    'Headers with the person, e.g. X-State-Subject,X-OpenWebUI-User-Id',
    'X-State-Subject',
    readHeaderNames,
  ),
  KEY_HEADERS: defineVariable(
    'Further headers that may contain a key of the service. No upstream gets them',
    'X-Nefesh-Key',
    readKeyHeaders,
  ),
  GATEWAY_PRESET: defineOptionalVariable(
    `Front end whose headers also name the session and the person, as hashed ids: ${Object.keys(presets).join(' or ')}`,
    'none',
    (text) => listChoices(Object.keys(presets))(text) as keyof typeof presets,
  ),
  GATEWAY_READ_USER: defineVariable(
    "1: without such a header, the request's safety_identifier, user or metadata.user_id is the person",
    '0',
    readSwitch,
  ),
  GATEWAY_PLACEMENT: defineVariable(
    'Place of the instruction in Chat Completions: first; last, which keeps the prompt cache of the vendor but is rejected by some models; or auto, which learns what each model accepts',
    'first',
    (text) => listChoices(['first', 'last', 'auto'])(text) as Placing,
  ),
  GATEWAY_LITELLM_SUBJECT: defineVariable(
    "Person of a request through LiteLLM's guardrail: end_user, which the client states, or user, the owner of LiteLLM's key",
    'end_user',
    (text) => listChoices(Object.keys(litellmSubjects))(text) as keyof typeof litellmSubjects,
  ),
  GATEWAY_HOST: defineVariable('Address to listen on', '127.0.0.1', (text) => text),
  GATEWAY_PORT: defineVariable('Port to listen on. 0 selects a free port', '8090', createIntegerReader(0, 65_535)),
  GATEWAY_STATE_TIMEOUT_MS: defineVariable(
    'Milliseconds that a request waits for the state before it is forwarded unchanged. More than SAFETY_TIMEOUT_MS',
    String(safetyCheck.gateway_timeout_ms),
    createIntegerReader(10, 10_000),
  ),
  SAFETY_TIMEOUT_MS: defineVariable(
    "Milliseconds of the service's external check of messages. Only compared with GATEWAY_STATE_TIMEOUT_MS",
    String(safetyCheck.timeout_ms),
    createIntegerReader(10, 10_000),
  ),
  GATEWAY_UPSTREAM_TIMEOUT_SECONDS: defineVariable(
    'Seconds until the model starts to respond, and between two parts of a response',
    '600',
    createIntegerReader(1, 3_600),
  ),
  GATEWAY_MAX_BODY_MB: defineVariable('Maximum size of a request in MB', '32', createIntegerReader(1, 512)),
  LOG_LEVEL: defineVariable(`Lowest level to log: ${logLevels.join(', ')}`, 'info', listChoices(logLevels)),
};

/** Throws an error that lists every invalid variable. */
export function readGatewayConfig(env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const values = readVariables(env, gatewayVariables);
  const { GATEWAY_STATE_TIMEOUT_MS: stateTimeoutMs, SAFETY_TIMEOUT_MS: safetyMs } = values;
  const tooShort = `GATEWAY_STATE_TIMEOUT_MS (${stateTimeoutMs}) is not above SAFETY_TIMEOUT_MS (${safetyMs}): while an external check (SAFETY_URL) is slow, no request gets the state`;
  return {
    host: values.GATEWAY_HOST,
    port: values.GATEWAY_PORT,
    logLevel: values.LOG_LEVEL,
    serviceUrl: values.SERVICE_URL.href.replace(/\/+$/, ''),
    upstreams: listUpstreams(values),
    corsOrigins: values.GATEWAY_CORS_ORIGINS ?? [],
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

type HeaderValues = Readonly<
  Record<'GATEWAY_SESSION_HEADERS' | 'GATEWAY_SUBJECT_HEADERS' | 'KEY_HEADERS', readonly string[]>
> & {
  readonly GATEWAY_PRESET: keyof typeof presets | undefined;
};

function readCallerHeaders(values: HeaderValues): CallerHeaders {
  const preset = values.GATEWAY_PRESET && presets[values.GATEWAY_PRESET];
  return {
    session: [...values.GATEWAY_SESSION_HEADERS, ...(preset ? [preset.session] : [])],
    subject: [...values.GATEWAY_SUBJECT_HEADERS, ...(preset ? [preset.subject] : [])],
    keys: ['x-service-key', ...values.KEY_HEADERS],
    hashed: preset ? Object.values(preset) : [],
  };
}
