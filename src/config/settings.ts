import { formatCommandLine } from '../contract/command-line.js';
import { findSimilar } from '../contract/similar.js';
import type { DescribedVariable, Variable } from '../../packages/settings/variables.js';
import { variables } from './variables.js';

export interface Setting {
  readonly name: string;
  readonly help: string;
  readonly default: string;
}

/** These variables are read by `startTracing` and the OpenTelemetry SDK, not by `readConfig`. */
const tracingVariables: Record<string, DescribedVariable> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    help: 'Base URL of an OTLP/HTTP collector, e.g. http://127.0.0.1:4318. Setting it turns tracing on',
    defaultNote: 'none: no tracing',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    help: 'URL for traces only, used unchanged. Setting it turns tracing on',
    defaultNote: 'OTEL_EXPORTER_OTLP_ENDPOINT followed by /v1/traces',
  },
  OTEL_TRACES_EXPORTER: {
    help: 'otlp turns tracing on, any other value turns it off',
    defaultNote: 'otlp if an endpoint is set',
  },
  OTEL_SERVICE_NAME: { help: 'Service name of the spans', defaultNote: 'realtime-state-service' },
  OTEL_SDK_DISABLED: { help: 'true turns tracing off', defaultNote: 'false' },
};

export function listAllSettings(): Setting[] {
  return [...listSettings(variables), ...Object.entries(tracingVariables).map(([name, it]) => setting(name, it))];
}

export function listSettings(table: Readonly<Record<string, Variable<unknown>>>): Setting[] {
  return Object.entries(table).map(([name, it]) => setting(name, it, it.fallback));
}

/** The settings that most deployments change, for `--help`. */
const mainNames = ['HOST', 'PORT', 'DATABASE_URL', 'SECRETS_KEY', 'REDIS_URL'];

function listMainSettings(): Setting[] {
  return listAllSettings().filter(({ name }) => mainNames.includes(name));
}

export function describeMainVariables(): string {
  const all = formatCommandLine('configuration');
  return `\nMain environment variables, all optional. \`${all}\` lists all:\n${describeVariables(listMainSettings())}`;
}

export function describeVariables(list = listAllSettings()): string {
  const width = Math.max(...list.map(({ name }) => name.length));
  return list.map((it) => `  ${it.name.padEnd(width)}  ${it.help} (default: ${it.default})`).join('\n');
}

/** Variables with these prefixes belong to this service alone. */
const ownPrefix = /^(LIMIT|RETENTION)_/;
/** Shorter names, e.g. HOST and PORT, are similar to variables of other programs. */
const similarLengthMin = 6;
/** Number of correct characters at the start of a misspelled name. An environment may contain hundreds of variables. */
const correctLength = 2;

/**
 * Returns a warning per variable of the environment that is probably a misspelled variable of any command: one that
 * `findSimilar` finds among those with the same start, or an unknown one with a prefix of this service.
 */
export function findMisspelledVariables(
  env: Readonly<Record<string, string | undefined>>,
  packageVariables: readonly string[],
): string[] {
  const known = [...listAllSettings().map(({ name }) => name), ...packageVariables];
  const similarTo = known.filter((it) => it.length >= similarLengthMin);
  // Systems and the OpenTelemetry SDK read further variables with similar names.
  const unknown = Object.keys(env).filter((name) => !known.includes(name) && !/^(OTEL|npm)_/.test(name));
  return unknown.flatMap((name) => {
    const start = name.slice(0, correctLength).toUpperCase();
    const similar = findSimilar(
      name,
      similarTo.filter((it) => it.startsWith(start)),
    );
    if (similar !== undefined) return [`${name} is not a variable of this service: did you mean ${similar}?`];
    const all = formatCommandLine('configuration');
    return ownPrefix.test(name) ? [`${name} is not a variable of this service: see \`${all}\``] : [];
  });
}

function setting(name: string, { help, defaultNote }: DescribedVariable, fallback = ''): Setting {
  return { name, help, default: defaultNote ?? fallback };
}
