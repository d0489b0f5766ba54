import { fileURLToPath } from 'node:url';
import { relative } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { bounds } from '../../generated/spec.js';
import { parseUrl } from '../net/parse-url.js';
import type { Surroundings } from './command.js';
import type { DemoOptions } from './demo.js';
import type { ListenOptions } from './listen.js';
import type { ReplayOptions } from './replay.js';

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
    .option('--file <csv>', `columns subject, task, label and any of ${signals}`, recording)
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--markdown', 'print the table as Markdown', false)
    .action(async (options: ReplayOptions) => (await import('./replay.js')).replay(options));
}

const urlOption = () =>
  new Option('--url <url>', 'address of the service').argParser(readUrl).default('http://127.0.0.1:8080');
const keyOption = () => new Option('--key <key>', 'API key').env('SERVICE_KEY');

/** Returns the URL without a trailing slash. */
function readUrl(text: string): string {
  if (!/^https?:$/.test(parseUrl(text)?.protocol ?? ''))
    throw new InvalidArgumentError('It must start with http:// or https://.');
  return text.replace(/\/+$/, '');
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
