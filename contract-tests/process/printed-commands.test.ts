import { readdir, readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { gatewayCommand } from '../../packages/gateway/command.js';
import { toolsCommand } from '../../packages/tools/commands.js';
import { createProgram } from '../../src/cli/command.js';
import { root } from '../../testkit/service.js';

/** Returns the definition of all commands. A parsed command does nothing. */
function defineCommands(): Command {
  const { command } = createProgram({
    ...{ program: root, root, env: {}, withProgress: () => Promise.reject(new Error('not run')) },
    packages: {
      commands: (host) => [gatewayCommand(host), toolsCommand(host)],
      variables: [],
      serveDemo: () => Promise.reject(new Error('not run')),
    },
  });
  const disarm = (it: Command) => {
    it.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    if (it.commands.length === 0) it.action(() => undefined);
    it.commands.forEach(disarm);
  };
  disarm(command);
  return command;
}

const names = new Set(['help', ...defineCommands().commands.map((it) => it.name())]);

/** Returns the words of a command line up to its end, a pipe, a redirection or a comment. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'|><;&#]|(?<=\S)#)+|[|><;&#]/g) ?? [];
  const end = words.findIndex((it) => /^[|><;&#]$/.test(it));
  return words.slice(0, end === -1 ? undefined : end).map((it) => it.replaceAll(/^["']|["']$/g, ''));
}

/** Returns the parse error of a command, or undefined. */
async function findError(words: readonly string[]): Promise<string | undefined> {
  try {
    if (!names.has(words[0] ?? '') && !words[0]?.startsWith('-')) return `unknown command ${words[0]}`;
    await defineCommands().parseAsync([...words], { from: 'user' });
    return undefined;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'commander.helpDisplayed' || code === 'commander.version' ? undefined : message;
  }
}

/** Names of commands in sentences, which are no complete commands, and a message that begins with a command. */
const mentions = [
  'tools mqtt',
  'tools mqtt --home-assistant',
  'tools evaluate',
  'backup --every',
  'keys person-id',
  'audit --accept --reason',
  'keys',
  'backup failed: retried at the next interval',
  // The operator reads the values in the sentence: medical or safety.
  'accounts set ACCOUNT biometric-purpose',
];

const extensions = /\.(md|ya?ml|ts|mjs|html|service|timer|toml|sh)$/;
const notPrinted = /(^|\/)(node_modules|tests?|notes|decisions|generated|training)\/|\.test\.|CHANGELOG/;

async function listFiles(): Promise<string[]> {
  const folders = ['docs', 'examples', 'src', 'packages'];
  const listed = await Promise.all(
    folders.map(async (it) =>
      (await readdir(new URL(`${it}/`, root), { recursive: true })).map((file) => `${it}/${file}`),
    ),
  );
  return ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'openapi.yaml', ...listed.flat()].filter(
    (it) => extensions.test(it) && !notPrinted.test(it),
  );
}

/** Returns the command lines in a text: after the name of the program, in code spans, and built by `formatCommandLine`. */
function findCommands(file: string, text: string): string[] {
  const joined = text
    .replaceAll(/ *\\\n(\s*(#|\/\/))?\s*/g, ' ')
    .replaceAll(/\$\{[^}]*\}/g, 'NAME')
    .replaceAll('{scope}', 'sources');
  const isGuide = file.endsWith('.md');
  const shells = isGuide ? [...joined.matchAll(/^ *```(?:sh|bash)\n([^]*?)^ *```$/gm)] : [];
  const prose = isGuide ? joined.replaceAll(/^ *```[^]*?^ *```$/gm, '') : joined;
  const patterns = [
    ...shells.map(([, it = '']) => [it, /(?<![\w-])state-service +([^\n]*)/g] as const),
    [
      prose,
      file.endsWith('.yaml') ? /(?<![\w-])state-service ([^\n`"]*)/g : /(?<![\w-])state-service ([^\n`'"]*)/g,
    ] as const,
    [prose, /(?<![\w)])\\?`([a-z]+ [^`\n]*?)\\?`/g] as const,
    [joined, /formatCommandLine\(\s*'([^']*)'(?:,\s*['`]([^'`]*)['`])?/g] as const,
  ];
  const found = patterns.flatMap(([it, pattern]) => [...it.matchAll(pattern)]);
  return found
    .map(([, first = '', others = '']) => `${first} ${others}`.trim())
    .filter((it) => names.has(it.split(' ')[0] ?? ''));
}

test('every command that the product prints is one of the CLI, with its options and required options', async () => {
  const failures: string[] = [];
  const found = new Set<string>();
  for (const file of await listFiles()) {
    for (const line of findCommands(file, await readFile(new URL(file, root), 'utf8'))) {
      found.add(line);
      const error = mentions.includes(line) ? undefined : await findError(splitWords(line));
      if (error !== undefined) failures.push(`${file}: ${line}: ${error}`);
    }
  }
  expect(failures).toEqual([]);
  expect(mentions.filter((it) => !found.has(it))).toEqual([]);
  expect(found.size).toBeGreaterThan(80);
});

test.each([
  ['keys create --hue red', /unknown option/],
  ['tools evaluate', /required option '--file/],
  ['accounts set acme', /missing required argument/],
  ['keys make', /unknown command|outputHelp/],
])('the check finds the fault of %s', async (line, fault) => {
  expect(await findError(splitWords(line))).toMatch(fault);
});
