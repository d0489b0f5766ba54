import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bounds } from '../../generated/spec.js';
import { formats } from '../recordings/field-map.js';
import type { Surroundings } from './command.js';
import type { DemoOptions } from './demo.js';
import type { ListenOptions } from './listen.js';
import type { ReplayOptions } from './replay.js';
import { keyOption, urlOption } from './service-options.js';

/** The commands `demo`, `listen` and `replay`, which show the service in a terminal. */
export function demoCommands(surroundings: Surroundings): Command[] {
  return [demoCommand(surroundings), listenCommand(surroundings), replayCommand(surroundings)];
}

function demoCommand(surroundings: Surroundings): Command {
  return new Command('demo')
    .description('play the five reference scenes against a temporary service')
    .option('--pace <seconds>', 'pause between two readings', numberUpTo(10), 0.2)
    .option('--seed <number>', 'seed of the random readings (default: a new one per run)', wholeNumber)
    .action(async (options: DemoOptions) => (await import('./demo.js')).demo(options, surroundings));
}

function listenCommand({ env }: Surroundings): Command {
  return new Command('listen')
    .description('print the state changes of a session of a service on this machine')
    .requiredOption('--session <id>', 'the session to watch')
    .addOption(urlOption())
    .addOption(keyOption())
    .addHelpText(
      'after',
      '\nThe service must allow loopback webhooks. With MySQL, start it with WEBHOOK_ALLOW_LOOPBACK=1.',
    )
    .action(async (options: ListenOptions) => (await import('./listen.js')).listen(options, env));
}

function replayCommand({ root }: Surroundings): Command {
  const recording = relative(process.cwd(), fileURLToPath(new URL('samples/wrist-heart-rate.csv', root)));
  const signals = Object.keys(bounds.SignalSubmission).join(', ');
  return new Command('replay')
    .description('stream a recording through a running service and print the states per task')
    .option(
      '--file <files...>',
      `a CSV with the columns subject, task, label and any of ${signals}, user_message, ai_response, or the recording of a device`,
      recording,
    )
    .addOption(
      new Option('--format <format>', 'format of the files, if the content does not show it').choices([
        'windows',
        ...formats,
      ]),
    )
    .option('--hours <number>', 'newest hours of a recording of a device', hoursUpTo(hoursMax), 24)
    .option('--utc-offset <offset>', 'offset of local times in a recording, e.g. +02:00', readOffset, 0)
    .option('--subject <id>', 'subject id of the person (default: a new one per run)', readSubject)
    .option('--backfill', 'store readings with the times of the recording, within the retention', false)
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--markdown', 'print the table as Markdown', false)
    .option('--plot <svg>', 'save heart rate, score, states and topics of one person over time, as an image')
    .option('--person <subject>', 'person of the plot (default: the first of the recording)')
    .action(async (options: ReplayOptions) => (await import('./replay.js')).replay(options));
}

/** Bounds the memory of a replay: a minute takes about 1 kB. */
const hoursMax = 2160;

function hoursUpTo(max: number): (text: string) => number {
  return (text) => {
    const hours = Number(text);
    if (!/^\d{1,6}$/.test(text) || hours < 1 || hours > max)
      throw new InvalidArgumentError(`It must be a whole number from 1 to ${max}.`);
    return hours;
  };
}

/** Returns the offset in ms. */
function readOffset(text: string): number {
  const parts = /^([+-])(0\d|1[0-4]):([0-5]\d)$/.exec(text);
  if (!parts) throw new InvalidArgumentError('It must be an offset such as +02:00 or -05:30.');
  return (parts[1] === '-' ? -1 : 1) * (Number(parts[2]) * 60 + Number(parts[3])) * 60_000;
}

/** Returns the subject id. Session ids append the hour to it, so it is shorter than the contract allows. */
function readSubject(text: string): string {
  if (!/^[!-~]{1,200}$/.test(text) || text === '.' || text === '..')
    throw new InvalidArgumentError('It must be 1 to 200 visible ASCII characters, and not . or ..');
  return text;
}

function numberUpTo(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (text.trim() === '' || !(number >= 0 && number <= max))
      throw new InvalidArgumentError(`It must be a number from 0 to ${max}.`);
    return number;
  };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at most nine digits.');
  return Number(text);
}
