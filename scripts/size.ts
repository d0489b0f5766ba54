/**
 * `npm run size`: prints how large the project is, and whether each part keeps its budget. Lines are those of tracked files.
 * Lines of TypeScript are without tests. The exit code is 0 also when a budget is exceeded.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { textTable } from '../packages/tools/terminal/table.js';
import { listTool, tools } from '../src/http/tools.js';
import { buildChanged } from './build/build-changed.mjs';

interface Row {
  readonly part: string;
  readonly found: number;
  readonly budget?: number;
}

const root = fileURLToPath(new URL('../', import.meta.url));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
const tracked = run('git', 'ls-files').trim().split('\n');
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

const code = tracked.filter((name) => /\.(ts|mts|mjs)$/.test(name) && !isTest(name));
const packageBudgets: Readonly<Record<string, number>> = { text: 4_000, dashboard: 5_000 };
const packages = [...new Set(code.flatMap((name) => /^packages\/([^/]+)\//.exec(name)?.[1] ?? []))];
const guides = tracked.filter((name) => /^docs\/[^/]+\.md$/.test(name));

const sections: Row[][] = [
  [
    { part: 'src, lines', found: countLines(inFolder('src')), budget: 26_500 },
    { part: 'src, files', found: inFolder('src').length, budget: 320 },
    { part: 'src, names xOf', found: countNames(), budget: 80 },
  ],
  packages.flatMap((name): Row[] => {
    const [files, css] = [inFolder(`packages/${name}`), name === 'dashboard' ? listStyles(name) : []];
    const title = `packages/${name}${css.length > 0 ? ' with CSS' : ''}`;
    return [
      { part: `${title}, lines`, found: countLines([...files, ...css]), budget: packageBudgets[name] ?? 4_000 },
      { part: `${title}, files`, found: files.length + css.length },
    ];
  }),
  [
    { part: 'scripts and lab, lines', found: countLines(inFolder('scripts', 'lab')), budget: 12_500 },
    { part: 'scripts and lab, files', found: inFolder('scripts', 'lab').length },
    { part: 'tests, lines', found: countLines(tracked.filter(isTest)), budget: 34_000 },
    { part: 'tests, files', found: tracked.filter(isTest).length },
  ],
  [
    { part: 'openapi.yaml, lines', found: countLines(['openapi.yaml']), budget: 5_700 },
    { part: 'guides, words', found: sum(guides.map(countWords)), budget: 27_000 },
    { part: 'README, words', found: countWords('README.md'), budget: 700 },
    { part: 'CHANGELOG, lines', found: countLines(['CHANGELOG.md']), budget: 80 },
    { part: 'largest page of the reference, bytes', found: countReferenceBytes(), budget: 300_000 },
    { part: 'npm scripts', found: Object.keys(JSON.parse(read('package.json')).scripts).length, budget: 25 },
    { part: 'commands of the service', found: countCommands(), budget: 14 },
    { part: 'list of MCP tools, bytes', found: countToolBytes(), budget: 9_000 },
  ],
];

const columns = [{ title: '' }, ...['today', 'budget', ''].map((title) => ({ title, align: 'right' }) as const)];
console.log(
  textTable(
    columns,
    sections.map((rows) => rows.map(toCells)),
  ),
);

function toCells({ part, found, budget }: Row): string[] {
  const format = (count: number) => count.toLocaleString('en-US');
  if (budget === undefined) return [part, format(found), '', ''];
  return [part, format(found), format(budget), found <= budget ? 'met' : `${format(found - budget)} too many`];
}

function isTest(name: string): boolean {
  return name.endsWith('.test.ts');
}

/** Returns the TypeScript of folders, without tests. */
function inFolder(...folders: string[]): string[] {
  return code.filter((name) => folders.some((folder) => name.startsWith(`${folder}/`)));
}

function listStyles(name: string): string[] {
  return tracked.filter((it) => it.startsWith(`packages/${name}/`) && it.endsWith('.css'));
}

function countLines(names: readonly string[]): number {
  return sum(names.map((name) => read(name).split('\n').length - 1));
}

function countWords(name: string): number {
  return read(name)
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** Returns the size of the largest page of the reference, in the built documentation. */
function countReferenceBytes(): number {
  buildChanged('documentation');
  const folder = `${root}dist/docs/reference`;
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((it) => it.endsWith('.html'));
  return Math.max(...pages.map((it) => statSync(`${folder}/${it}`).size));
}

/** Counts functions that are named after a noun, e.g. `stateOf`. A function is named after a verb: `readState`. */
function countNames(): number {
  const pattern = /\b(?:function|const) [a-z][A-Za-z]*Of\b/g;
  return sum(inFolder('src').map((name) => read(name).match(pattern)?.length ?? 0));
}

/** Counts the commands in the help of the program, without `help`. */
function countCommands(): number {
  const help = run(process.execPath, '--import', 'tsx', 'src/main.ts', '--help');
  const [, commands = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].filter(([, name]) => name !== 'help').length;
}

/** Returns the size of the response to `tools/list`, which an agent reads before it says a word. */
function countToolBytes(): number {
  return Buffer.byteLength(JSON.stringify({ tools: tools.map(listTool) }));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
