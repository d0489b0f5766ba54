import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formats } from '../recordings/field-map.js';
import { inferences } from '../recordings/measurement.js';
import type { BenchmarkOptions } from './evaluate/benchmark.js';
import type { TaskName } from './evaluate/protocol/tasks.js';
import type { ConformanceOptions } from './conformance.js';
import type { DemoOptions } from './demo.js';
import type { EvaluateOptions } from './evaluate/evaluate.js';
import type { ExportOptions } from './export.js';
import type { ListenOptions } from './listen.js';
import type { MqttOptions } from './mqtt.js';
import { signals } from '../recordings/signals.js';
import { createClock, dateOrders, readTime } from '../recordings/times.js';
import type { ReplayOptions } from './replay.js';
import type { ReportOptions } from './report.js';
import { readBaseUrl } from './service.js';

export interface ToolSurroundings {
  /** The root folder of the project or of the installed package. */
  readonly root: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The option `--json`, which is the same for every command of the program. */
  readonly jsonOption: readonly [flags: string, description: string, fallback: boolean];
}

/** The commands of a user: clients of the public API. Each imports its modules when it runs. */
export function toolsCommand(surroundings: ToolSurroundings): Command {
  const tools = new Command('tools').description('play, import, export, evaluate and report readings of a service');
  return [
    demoCommand(surroundings),
    importCommand(surroundings),
    conformanceCommand(surroundings),
    reportCommand(surroundings),
    exportCommand(),
    listenCommand(surroundings),
    mqttCommand(surroundings),
    evaluateCommand(surroundings),
    benchmarkCommand(surroundings),
  ].reduce((command, it) => command.addCommand(it), tools);
}

/** Names of the environment variables that the commands read. */
export const variableNames = ['SERVICE_URL', 'SERVICE_KEY', 'MQTT_USERNAME', 'MQTT_PASSWORD', 'MQTT_ID_SECRET'];

const urlOption = () =>
  new Option('--url <url>', 'address of the service')
    .env('SERVICE_URL')
    .argParser(readUrl)
    .default('http://127.0.0.1:8080');
const markdownOption = () => new Option('--markdown', 'print tables as Markdown').default(false).conflicts('json');
const keyOption = () => new Option('--key <key>', 'API key').env('SERVICE_KEY');

function exportCommand(): Command {
  return new Command('export')
    .description('download stored readings from a running service')
    .option('--session <id>', 'only readings of this session (default: the whole account)')
    .option('--subject <id>', 'only readings of this person')
    .addOption(new Option('--format <format>', 'format of the rows').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--cursor <cursor>', 'only rows after the row with this cursor')
    .option('--out <file>', 'file, which is replaced when the export is complete (default: standard output)')
    .option('--resume', 'continue an interrupted export to --out', false)
    .addOption(urlOption())
    .addOption(keyOption())
    .action(async (options: ExportOptions) => (await import('./export.js')).exportReadings(options));
}

function demoCommand({ root, env, jsonOption }: ToolSurroundings): Command {
  return new Command('demo')
    .description('play the five reference scenes against a temporary service')
    .option('--pace <seconds>', 'pause between two readings', readPace, 0.2)
    .option('--seed <number>', 'seed of the random readings (default: a new one per run)', readSeed)
    .option(...jsonOption)
    .action(async (options: DemoOptions) => (await import('./demo.js')).demo(options, root, env));
}

function listenCommand({ env }: ToolSurroundings): Command {
  return new Command('listen')
    .description('print the state changes of a service on this machine')
    .option('--session <id>', 'only changes of this session (default: all sessions of the account)')
    .addOption(urlOption())
    .addOption(keyOption())
    .addHelpText(
      'after',
      '\nThe service must allow loopback webhooks. With MySQL, start it with WEBHOOK_ALLOW_LOOPBACK=1.',
    )
    .action(async (options: ListenOptions) => (await import('./listen.js')).listen(options, env));
}

function mqttCommand({ env }: ToolSurroundings): Command {
  return new Command('mqtt')
    .description('publish the states of people to an MQTT broker, until Ctrl-C')
    .addOption(
      new Option('--broker <url>', 'e.g. mqtts://broker.local:8883').argParser(readBroker).makeOptionMandatory(),
    )
    .requiredOption('--subject <ids...>', 'the people')
    .addOption(new Option('--topic <topic>', 'start of all topics').argParser(readTopic).default('realtime-state'))
    .option('--home-assistant', 'announce each person as a device of Home Assistant', false)
    .option('--allow-plain', 'allow mqtt:// and ws:// to other machines, without encryption', false)
    .addOption(urlOption())
    .addOption(keyOption())
    .addHelpText(
      'after',
      '\nMQTT_USERNAME and MQTT_PASSWORD are the credentials of the broker. Topics contain a digest of the id, keyed with ' +
        'MQTT_ID_SECRET\n(default: the key, so that another key changes the topics). The key needs the scope read.',
    )
    .action(async (options: MqttOptions) => (await import('./mqtt.js')).publishStates(options, env));
}

function importCommand({ root, jsonOption }: ToolSurroundings): Command {
  return new Command('import')
    .alias('replay')
    .description('import a recording of a device into a running service, and print the states')
    .showHelpAfterError('Name recordings with --file, e.g. tools import --file export.zip. --help lists all options.')
    .option(
      '--file <files...>',
      `a CSV with the columns subject, task, label and any of ${signals.join(', ')}, user_message, ai_response, or the recording of a device, also in a ZIP`,
      sampleRecording(root),
    )
    .addOption(
      new Option('--format <format>', 'format of the files, if the content does not show it').choices([
        'labeled',
        ...formats,
      ]),
    )
    .option('--hours <number>', 'newest hours of a recording of a device', readHours, 24)
    .option('--utc-offset <offset>', 'offset of local times in a recording, e.g. +02:00', readOffset, 0)
    .addOption(
      new Option('--time-zone <zone>', 'zone of local times in a recording, e.g. Europe/Berlin')
        .argParser(readZone)
        .conflicts('utcOffset'),
    )
    .option('--start <time>', 'start of a list of beats, or of a CSV whose times count from its start', readStart)
    .option('--person <id>', 'the person to read from a CSV of several people')
    .addOption(
      new Option('--date-order <order>', 'order of day, month and year in a CSV that does not show it').choices(
        dateOrders,
      ),
    )
    .option('--time-column <name>', 'column with the times of a CSV, if several may be it')
    .addOption(new Option('--keep <inferences...>', 'read values that look like something else').choices(inferences))
    .option('--subject <id>', 'subject id of the person (default: a new one per run)', readSubject)
    .option('--dry-run', 'print what would be sent and what was inferred, and send nothing', false)
    .option(
      '--backfill',
      'store readings with the times of the recording, in one session per day (UTC), at most as old as the service keeps them',
      false,
    )
    .addOption(urlOption())
    .addOption(keyOption())
    .addOption(markdownOption())
    .option(...jsonOption)
    .addHelpText(
      'after',
      `\nRecordings of devices: ${formats.join(', ')}.\nA week of an Apple Watch: tools import --file export.zip --backfill --hours 168 ` +
        '--subject ID\n\nThe guide docs/recordings.md explains how to export the files.',
    )
    .action(async (options: ReplayOptions) => (await import('./replay.js')).replay(options));
}

function conformanceCommand({ root }: ToolSurroundings): Command {
  return new Command('conformance')
    .description('run any reader of recordings over the corpus of synthetic files, and print what it reads right')
    .option('--reader <command>', 'reads a file from standard input, and prints its minutes as JSON')
    .option('--corpus <folder>', 'folder with corpus.json', fileURLToPath(new URL('packages/recordings/corpus/', root)))
    .option('--minutes <name>', 'print the minutes of standard input, a file of this name, as a reader does')
    .addOption(markdownOption())
    .addHelpText(
      'after',
      '\nThe reader gets the name of the file in RECORDING_NAME, and the zone of its local times in RECORDING_ZONE.\n' +
        'packages/recordings/corpus/README.md has the form of the minutes.',
    )
    .action(async (options: ConformanceOptions) => (await import('./conformance.js')).checkConformance(options));
}

function reportCommand({ jsonOption }: ToolSurroundings): Command {
  return new Command('report')
    .description('print the days of a person')
    .requiredOption('--subject <id>', 'the person')
    .option('--day', 'today')
    .option('--week', 'the last 7 days (default)')
    .option('--month', 'the last 30 days')
    .option('--time-zone <zone>', 'time zone of the days', Intl.DateTimeFormat().resolvedOptions().timeZone)
    .option(...jsonOption)
    .addOption(urlOption())
    .addOption(keyOption())
    .action(async (options: ReportOptions) => (await import('./report.js')).report(options));
}

/** Options that name a column, by the role of the column. */
const columnOptions: Readonly<Record<string, string>> = {
  subject: 'the person. Without this column, the file is of one person',
  time: 'seconds, Unix milliseconds or date-times, in UTC if they have no zone. Default: one row every 120 s',
  label: 'what the person did, such as stressor or rest (required)',
  task: 'part of the recording. Groups the states',
  ...Object.fromEntries(signals.map((signal) => [signal, `the signal ${signal}`])),
};

function evaluateCommand({ root, jsonOption }: ToolSurroundings): Command {
  const command = new Command('evaluate')
    .description('measure on your own labeled recording how well the score separates stressors from rest')
    .requiredOption('--file <csv>', `recording with a header line, e.g. ${sampleRecording(root)}`)
    .addOption(
      new Option('--stressed-labels <list>', 'labels of stressors, with commas between them')
        .argParser(readLabels)
        .default(['stressor'], 'stressor'),
    )
    .option('--rest-labels <list>', 'labels of rest (default: all other labels)', readLabels)
    .addOption(
      new Option(
        '--feedback',
        'use what people reported to a running service as labels. --file is an export of it, or has its subjects and times',
      )
        .default(false)
        .conflicts(['label', 'stressedLabels', 'restLabels']),
    )
    .addOption(urlOption())
    .addOption(keyOption())
    .addOption(markdownOption())
    .option(...jsonOption);
  for (const [role, meaning] of Object.entries(columnOptions))
    command.addOption(new Option(`--${role.replaceAll('_', '-')} <column>`, `column: ${meaning}`));
  command.addHelpText(
    'after',
    '\nColumns that no option names are found by their names: subject, time, heart_rate, ... With --feedback, the columns ' +
      'subject and\ntime are named subject_id and timestamp, as in: tools export --format csv --out day.csv',
  );
  return command.action(async (values: Record<string, string> & Omit<EvaluateOptions, 'columns'>) =>
    (await import('./evaluate/evaluate.js')).evaluate({ ...values, columns: readColumns(values) }, root),
  );
}

/** The names of the tasks, which are not imported before the command runs. */
const benchmarkTasks = ['stressid', 'stress-predict', 'speech', 'reports', 'texts', 'weeks'] satisfies TaskName[];

function benchmarkCommand({ root, jsonOption }: ToolSurroundings): Command {
  return new Command('benchmark')
    .description('measure any method, by default this service, on public recordings with labels')
    .addOption(new Option('--task <names...>', 'what is measured').choices(benchmarkTasks).default(benchmarkTasks))
    .option('--data <folder>', 'folder of the public data files, which docs/evaluation.md lists', '.')
    .addOption(
      new Option('--scores <csv>', "another method's score from 0 to 100 per row, and optionally its state").conflicts(
        'template',
      ),
    )
    .option('--name <text>', 'the method of --scores, for the result')
    .option('--template <csv>', 'write the rows that a method has to score to this file, without labels')
    .option('--schema', 'print the JSON Schema of the output of --json', false)
    .addOption(markdownOption())
    .option(...jsonOption)
    .addHelpText(
      'after',
      '\nMeasure another method: fill in the column score of the rows that have an id\n' +
        '  tools benchmark --task speech --data FOLDER --template speech.csv\n' +
        '  tools benchmark --task speech --data FOLDER --scores speech.csv --name "method 1.0"\n\n' +
        'The guide docs/evaluation.md has the protocol, the sources of the data and the results of this service.',
    )
    .action(async (options: BenchmarkOptions & { readonly schema: boolean }) => {
      const { benchmark, printSchema } = await import('./evaluate/benchmark.js');
      return options.schema ? printSchema() : benchmark(options, root);
    });
}

function readColumns(values: Readonly<Record<string, unknown>>): EvaluateOptions['columns'] {
  // The name that commander gives the value of an option.
  const camelCase = (role: string) => role.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  const named = Object.keys(columnOptions).map((role) => [role, values[camelCase(role)]] as const);
  return Object.fromEntries(named.filter(([, name]) => name !== undefined));
}

/** Returns the path of the sample recording, relative to the working directory. */
function sampleRecording(root: URL): string {
  return relative(process.cwd(), fileURLToPath(new URL('samples/wrist-heart-rate.csv', root)));
}

/** Throws the error of an invalid option unless the condition is met. */
function check(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvalidArgumentError(message);
}

function readUrl(text: string): string {
  const url = readBaseUrl(text);
  check(url !== undefined, 'It must start with http:// or https://.');
  return url;
}

function readBroker(text: string): string {
  check(/^(mqtts?|wss?):\/\/[^\s/]/.test(text) && URL.canParse(text), 'It must be a URL with mqtts, wss, mqtt or ws.');
  return text;
}

/** Returns the start of topics: without wildcards, an empty level and characters that brokers refuse. */
function readTopic(text: string): string {
  check(/^[\w.-]+(\/[\w.-]+)*$/.test(text), 'It must be letters, digits, - . _ and / between levels.');
  return text;
}

/** Bounds the memory of a replay: a minute takes about 1 kB. */
const hoursMax = 2160;

function readHours(text: string): number {
  const hours = Number(text);
  check(/^\d{1,6}$/.test(text) && hours >= 1 && hours <= hoursMax, `It must be a whole number from 1 to ${hoursMax}.`);
  return hours;
}

/** Returns the offset in ms. */
function readOffset(text: string): number {
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(text) ?? [];
  check(sign !== undefined, 'It must be an offset such as +02:00 or -05:30.');
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function readZone(text: string): string {
  try {
    createClock(text);
  } catch {
    throw new InvalidArgumentError('It must be the name of a time zone such as Europe/Berlin.');
  }
  return text;
}

/** Returns the epoch ms. */
function readStart(text: string): number {
  const atMs = readTime(text);
  check(!Number.isNaN(atMs), 'It must be a time such as 2026-11-20T09:00:00Z.');
  return atMs;
}

/** Returns the subject id. Session ids append the day or the hour to it, so it is shorter than the contract allows. */
function readSubject(text: string): string {
  const isId = /^[!-~]{1,200}$/.test(text) && text !== '.' && text !== '..';
  check(isId, 'It must be 1 to 200 visible ASCII characters, and not . or ..');
  return text;
}

const paceMax = 10;

function readPace(text: string): number {
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  check(seconds >= 0 && seconds <= paceMax, `It must be a number from 0 to ${paceMax}.`);
  return seconds;
}

function readSeed(text: string): number {
  check(/^\d{1,9}$/.test(text), 'It must be a whole number of at most nine digits.');
  return Number(text);
}

function readLabels(text: string): string[] {
  const labels = text
    .split(',')
    .map((it) => it.trim())
    .filter(Boolean);
  check(labels.length > 0, 'It must name at least one label.');
  return labels;
}
