/** The environment variables of the command `gateway`. Its `--help` and docs/agents.md are generated from this table. */
import { parseUrl } from '../../src/contract/parse-url.js';
import { ConfigError, integerBetween, oneOf, readSwitch, readVariables, unlessEmpty } from '../../src/config/read-variable.js';
import { optional, variable } from '../../src/config/variable.js';
import { variables } from '../../src/config/variables.js';

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
  /** Place of the instruction in Chat Completions. */
  readonly placement: 'first' | 'last';
  /** Time for all requests to the service before a request is forwarded, ms. */
  readonly stateTimeoutMs: number;
  /** Time until the headers of the model's response, and between two parts of its body, ms. */
  readonly upstreamTimeoutMs: number;
  readonly bodyBytesMax: number;
}

export const gatewayVariables = {
  GATEWAY_OPENAI_URL: optional(
    'Base URL of the OpenAI API or of a compatible server, e.g. https://api.openai.com/v1',
    'none: no OpenAI API',
    unlessEmpty(readUrl),
  ),
  GATEWAY_ANTHROPIC_URL: optional(
    'Base URL of the Anthropic API or of a compatible server, e.g. https://api.anthropic.com',
    'none: no Anthropic API',
    unlessEmpty(readUrl),
  ),
  SERVICE_URL: variable('URL of the state service', 'http://127.0.0.1:8080', readUrl),
  GATEWAY_SHARE_TRIGGERS: variable(
    "1: add the person's active triggers to the system prompt. This discloses them to the vendor of the model",
    '0',
    readSwitch,
  ),
  GATEWAY_PLACEMENT: variable(
    'first or last. Place of the instruction in Chat Completions: the leading system message, or a system message at the end, which keeps the prompt cache of the vendor but is rejected by some models',
    'first',
    (text) => oneOf(['first', 'last'])(text) as 'first' | 'last',
  ),
  GATEWAY_HOST: variable('Address to listen on', '127.0.0.1', (text) => text),
  GATEWAY_PORT: variable('Port to listen on. 0 selects a free port', '8090', integerBetween(0, 65_535)),
  GATEWAY_STATE_TIMEOUT_MS: variable(
    'Maximum delay of a request by the state service, in ms. After that, the request is forwarded unchanged',
    '300',
    integerBetween(10, 10_000),
  ),
  GATEWAY_UPSTREAM_TIMEOUT_SECONDS: variable(
    'Maximum time until the model starts to respond, and between two parts of a response, in seconds',
    '600',
    integerBetween(1, 3_600),
  ),
  GATEWAY_MAX_BODY_MB: variable('Maximum size of a request, in MB', '32', integerBetween(1, 512)),
  LOG_LEVEL: variables.LOG_LEVEL,
};

/** Throws a ConfigError that lists every invalid variable. */
export function readGatewayConfig(env: Readonly<Record<string, string | undefined>>): GatewayConfig {
  const values = readVariables(env, gatewayVariables);
  const { GATEWAY_OPENAI_URL: openai, GATEWAY_ANTHROPIC_URL: anthropic } = values;
  if (!openai && !anthropic) throw new ConfigError('set GATEWAY_OPENAI_URL, GATEWAY_ANTHROPIC_URL or both');
  return {
    host: values.GATEWAY_HOST,
    port: values.GATEWAY_PORT,
    logLevel: values.LOG_LEVEL,
    serviceUrl: withoutSlash(values.SERVICE_URL.href),
    upstreams: { openai: openai && openaiBase(openai), anthropic: anthropic && anthropicBase(anthropic) },
    sharesTriggers: values.GATEWAY_SHARE_TRIGGERS,
    placement: values.GATEWAY_PLACEMENT,
    stateTimeoutMs: values.GATEWAY_STATE_TIMEOUT_MS,
    upstreamTimeoutMs: values.GATEWAY_UPSTREAM_TIMEOUT_SECONDS * 1000,
    bodyBytesMax: values.GATEWAY_MAX_BODY_MB * 1_000_000,
  };
}

/** Errors never contain the text, which may include a password. */
function readUrl(text: string): URL {
  const url = /^https?:\/\//.test(text) ? parseUrl(text) : undefined;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new ConfigError('must be an http or https URL without a user, a query and a fragment');
  return url;
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
