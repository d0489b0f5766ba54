import { InvalidArgumentError, Option } from 'commander';
import { readBaseUrl } from '../terminal/service.js';

/** The option `--url` of commands that call a running service. */
export const urlOption = () =>
  new Option('--url <url>', 'address of the service').argParser(readUrl).default('http://127.0.0.1:8080');
/** The option `--key`. `requireKey` checks its value. */
export const keyOption = () => new Option('--key <key>', 'API key').env('SERVICE_KEY');

function readUrl(text: string): string {
  const url = readBaseUrl(text);
  if (url === undefined) throw new InvalidArgumentError('It must start with http:// or https://.');
  return url;
}
