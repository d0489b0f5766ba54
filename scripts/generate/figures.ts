import accuracy from '../../docs/accuracy.json' with { type: 'json' };
import benchmark from '../../docs/benchmark.json' with { type: 'json' };
import * as spec from '../../generated/spec.js';
import { type Setting, listAllSettings, listSettings } from '../../src/config/settings.js';
import { gatewayVariables } from '../../packages/gateway/config.js';
import { receiver } from '../../packages/dashboard/browser/webhooks/receiver.js';
import { contract, type Schema } from '../../packages/docs/contract.js';
import * as text from '../../packages/text/settings.js';
import * as model from '../../packages/score/model.js';
import * as accountability from './accountability.js';
import { connectionRows } from './connects.js';
import { columnRows, fieldRows, tableRows } from './data-map.js';

/** Returns the figure or table with this name as Markdown. `old` is the present text. */
export type Figures = (name: string, old: string) => string;

const constants = { ...spec, ...model, ...text };

/**
 * Returns constants of the contract and of the models by path, e.g. `body.max_bytes`, and tables by name, e.g. `table states`. Returns the
 * present text of a response, because only `npm run generate` runs the service.
 */
export const figures: Figures = (name, old) => {
  if (name.startsWith('response ')) return old;
  const table = name.startsWith('table ') ? tables[name.slice('table '.length)] : undefined;
  if (table) return table();
  const value = name
    .split('.')
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], constants);
  if (typeof value === 'number') return value.toLocaleString('en-US');
  if (typeof value === 'string') return /^[\w-]+$/.test(value) ? code(value) : value;
  throw new Error(`the contract and the models have no figure ${name}`);
};

const tables: Record<string, () => string> = {
  accuracy: () => accuracyRows(accuracy),
  accuracy_readme: () => accuracyRows(accuracy.filter((it) => it.readme)),
  benchmark: () =>
    rows(
      ['Task: under stress against at rest', 'Rows, groups', 'AUC', 'Stress `stressed`', 'Rest `stressed`'],
      benchmark.map((it) => [
        `${code(it.task)}: ${it.title}`,
        `${it.rows.toLocaleString('en-US')}, ${it.groups.toLocaleString('en-US')}`,
        ...measured.map((name) => printEstimate(it, name)),
      ]),
    ),
  connects: () => rows(['Client', 'Version', 'What was done', 'What it needs', 'Test'], connectionRows()),
  data_tables: () =>
    rows(['Table', 'Content', 'Identifies', 'Stored for', 'Erasure of the person', 'Read by'], tableRows()),
  data_columns: () => rows(['Table', 'Columns', 'Content'], columnRows()),
  data_fields: () => rows(['Operation', 'Field', 'Consent category', 'Stored in', 'Stored for'], fieldRows()),
  consent_signals: () =>
    rows(['Category', 'For the score', 'To explain a heart rate', 'Stored only'], accountability.consentRows()),
  necessity: () =>
    rows(['Category', 'Used: yes or no', 'Why it is necessary', 'Less intrusive way'], accountability.necessityRows()),
  inferred: () => rows(['Result', 'Meaning'], accountability.inferredRows()),
  stored_data: () =>
    rows(['Table', 'Content', 'Identifies', 'Stored for', 'Erasure of the person'], accountability.storedRows()),
  retention: () => rows(['Variable', 'Meaning', 'Default', 'Your value'], accountability.retentionRows()),
  recipients: () => rows(['Scope', 'Allows to', 'Tables', 'Who holds it'], accountability.recipientRows()),
  requests: () => rows(['Right', 'Operation', 'What it does'], accountability.requestRows()),
  notice_categories: () => rows(['What is measured', 'With which device'], accountability.noticeRows()),
  notice_retention: () => rows(['What is stored', 'For how long'], accountability.noticeRetentionRows()),
  settings: () => settingRows(listAllSettings()),
  gateway_settings: () => settingRows(listSettings(gatewayVariables)),
  states: () =>
    rows(
      ['Score', 'State', 'Suggested action', 'Recommendation'],
      spec.bands.map((it) => [
        `${it.min_score}–${it.max_score}`,
        code(it.state),
        code(it.suggested_action),
        it.recommendation,
      ]),
    ),
  signals: () => signalRows('evidence'),
  context: () => signalRows('context'),
  tone: () => labels('Tone', model.stressModel.tone_points),
  expression: () => labels('Expression', model.stressModel.expression_points),
  triggers: () => described({ $ref: '#/components/schemas/TriggerStatus' }),
  tiers: () =>
    rows(
      ['Tier', 'Calls per month'],
      Object.entries(spec.tiers).map(([tier, { monthly_calls: calls }]) => [
        code(tier),
        calls === null ? 'unlimited' : calls.toLocaleString('en-US'),
      ]),
    ),
  scopes: () =>
    rows(
      ['Scope', 'Allows to'],
      Object.entries(spec.scopes).map(([scope, description]) => [
        code(scope),
        description.replace(/^(\w)(.*)\.$/, (_, first: string, rest: string) => first.toLowerCase() + rest),
      ]),
    ),
  problem_entries: () => `\n${problems().map(problemEntry).join('\n\n')}\n`,
  receiver: () => `\n\`\`\`js\n${receiver}\`\`\`\n`,
  schedule: () =>
    rows(
      ['Attempt', 'When', 'If it fails'],
      [0, ...spec.webhookDelivery.retry_after_seconds].map((seconds, index) => [
        String(index + 1),
        index === 0 ? 'within 100 ms of the commit if the queue is empty' : `${seconds} s after the previous failure`,
        afterFailure(index + 1),
      ]),
    ),
};

const measured = ['auc', 'stress_called_stressed', 'rest_called_stressed'] as const;
type Measured = (typeof measured)[number];

/** Fills in the figures of the benchmark, e.g. `{speech.auc}`. */
function accuracyRows(figures: ReadonlyArray<Record<'measure' | 'result' | 'data', string>>): string {
  const fillIn = (text: string) =>
    text.replace(/\{([\w-]+)\.(\w+)\}/g, (_, task: string, name: Measured) => {
      const result = benchmark.find((it) => it.task === task);
      if (!result || !measured.includes(name)) throw new Error(`docs/benchmark.json has no ${name} of ${task}`);
      return printEstimate(result, name);
    });
  return rows(
    ['Measure', 'Result', 'Data'],
    figures.map((it) => [it.measure, fillIn(it.result), it.data]),
  );
}

/** Returns an estimate with its interval: an AUC as a fraction, a share in percent. */
function printEstimate(result: (typeof benchmark)[number], name: Measured): string {
  const { value, low, high } = result[name];
  const print = (number: number) => (name === 'auc' ? number.toFixed(3) : (100 * number).toFixed(0));
  return `${print(value)}${name === 'auc' ? '' : ' %'} (${print(low)}–${print(high)})`;
}

type ProblemName = keyof typeof spec.problems;
type Problem = (typeof spec.problems)[ProblemName];

function problems(): [ProblemName, Problem][] {
  return (Object.entries(spec.problems) as [ProblemName, Problem][]).sort(([, a], [, b]) => a.status - b.status);
}

/** Returns the entry of a problem. The heading contains only the code, so that its anchor is the last part of `type`. */
function problemEntry([name, { status }]: [ProblemName, Problem]): string {
  const { cause, fix } = spec.problemHelp[name];
  return `### ${code(name)}\n\n${status}: ${cause}\n\n${fix}`;
}

function settingRows(shown: readonly Setting[]): string {
  return rows(
    ['Variable', 'Meaning', 'Default'],
    shown.map((it) => [code(it.name), it.help, it.default]),
  );
}

function signalRows(use: string): string {
  const names = Object.entries(spec.signals).flatMap(([name, it]) => (it.use === use ? [name] : []));
  return rows(
    ['Field', 'Values', 'Meaning'],
    names.map((name) => [code(name), valuesOf(property(name)), described(property(name))]),
  );
}

function afterFailure(attempt: number): string {
  const { failed_after_attempts: limit, retry_after_seconds: waits } = spec.webhookDelivery;
  if (attempt === limit) return `the webhook becomes \`failed\` if its last ${limit} attempts failed`;
  return attempt > waits.length ? 'the delivery is `failed` and is listed' : '';
}

function labels(schema: 'Tone' | 'Expression', points: Readonly<Record<string, number>>): string {
  const byPoints = [...spec.enums[schema]].sort((a, b) => (points[a] ?? 0) - (points[b] ?? 0));
  return byPoints.map(code).join(' · ');
}

function property(name: string): Schema {
  return contract.components.schemas['SignalSubmission']?.properties?.[name] ?? {};
}

function valuesOf(schema: Schema): string {
  const { enum: values, minimum, maximum, 'x-unit': unit } = named(schema);
  return values ? values.map(code).join(', ') : `${minimum} to ${maximum}${unit ? ` ${unit}` : ''}`;
}

function described(schema: Schema): string {
  return (named(schema).description ?? '').trim().replaceAll('\n', ' ');
}

function named(schema: Schema): Schema {
  return contract.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string {
  const [titles, ...lines] = [head, ...body].map((cells) => `| ${cells.join(' | ')} |`);
  return `\n${[titles, `|${'---|'.repeat(head.length)}`, ...lines].join('\n')}\n`;
}

function code(name: string): string {
  return `\`${name}\``;
}
