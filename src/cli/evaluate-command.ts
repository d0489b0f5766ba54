import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bounds } from '../../generated/spec.js';
import type { Surroundings } from './command.js';
import type { EvaluateOptions } from './evaluate.js';

/** Options that name a column, by the role of the column. */
const columnOptions: Readonly<Record<string, string>> = {
  subject: 'the person. Without this column, the file is of one person',
  time: 'seconds, Unix milliseconds or date-times, in UTC if they have no zone. Default: one row every 120 s',
  label: 'what the person did, such as stressor or rest (required)',
  task: 'part of the recording. Groups the states and the figure',
  ...Object.fromEntries(Object.keys(bounds.SignalSubmission).map((signal) => [signal, `the signal ${signal}`])),
};

/** Creates the `evaluate` command. Loads the service only when the command runs. */
export function evaluateCommand({ root }: Pick<Surroundings, 'root'>): Command {
  const recording = relative(process.cwd(), fileURLToPath(new URL('samples/wrist-heart-rate.csv', root)));
  const command = new Command('evaluate')
    .description('measure on your own labeled recording how well the score separates stressors from rest')
    .option('--file <csv>', 'recording with a header line', recording)
    .addOption(
      new Option('--stressed-labels <list>', 'labels of stressors, with commas between them')
        .argParser(listOf)
        .default(['stressor'], 'stressor'),
    )
    .option('--rest-labels <list>', 'labels of rest (default: all other labels)', listOf)
    .option('--figure <svg>', 'save the scores by task, or by label, as an image')
    .option('--markdown', 'print the tables as Markdown', false);
  for (const [role, meaning] of Object.entries(columnOptions))
    command.addOption(new Option(`--${role.replaceAll('_', '-')} <column>`, `column: ${meaning}`));
  command.addHelpText(
    'after',
    '\nColumns that no option names are found by their names: subject, time, heart_rate, ...',
  );
  return command.action(async (values: Record<string, string> & Omit<EvaluateOptions, 'columns'>) =>
    (await import('./evaluate.js')).evaluate({ ...values, columns: columnsOf(values) }, { root }),
  );
}

function columnsOf(values: Readonly<Record<string, unknown>>): EvaluateOptions['columns'] {
  const named = Object.keys(columnOptions).map((role) => [role, values[camelCase(role)]] as const);
  return Object.fromEntries(named.filter(([, name]) => name !== undefined));
}

/** Returns the name that commander gives the value of an option. */
function camelCase(role: string): string {
  return role.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function listOf(text: string): string[] {
  const labels = text
    .split(',')
    .map((it) => it.trim())
    .filter((it) => it !== '');
  if (labels.length === 0) throw new InvalidArgumentError('It must name at least one label.');
  return labels;
}
