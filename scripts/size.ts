/**
 * `npm run size`: prints how large the project is, and whether each part keeps its budget. Exits with 1 if all that people
 * wrote exceeds the cap. With `--cap`, prints the lines of code only, which takes a second. `npm test` runs it this way.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { textTable } from '../packages/tools/terminal/table.js';
import { buildChanged } from './build/build-changed.mjs';
import { isTest, isWritten, listParts, type Part, tolerance } from './size/parts.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
const tracked = run('git', 'ls-files').trim().split('\n');
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

const written = tracked.filter(isWritten);
const { rows: parts, cap } = listParts(written.map((name) => ({ name, lines: countLines(name) })));
const isCapOnly = process.argv.includes('--cap');
print(isCapOnly ? [parts, [cap]] : [parts, [cap], ...(await listOthers())]);
if (cap.found > (cap.budget ?? 0)) {
  console.error(`All that people wrote exceeds the cap of ${format(cap.budget ?? 0)} lines.`);
  process.exitCode = 1;
}

/** Returns the parts that are measured in other units than lines of code, e.g. files, words or bytes. */
async function listOthers(): Promise<Part[][]> {
  const guides = tracked.filter((name) => /^docs\/[^/]+\.md$/.test(name));
  const count = (part: string, belongs: (name: string) => boolean) => ({ part, found: tracked.filter(belongs).length });
  return [
    [
      { ...count('src, files', isInSrc), budget: 320 },
      { part: 'src, names xOf', found: countNames(), budget: 80 },
      count('tests, files', isTest),
    ],
    [
      { part: 'openapi.yaml, lines', found: countLines('openapi.yaml'), budget: 7_800, tolerance },
      { part: 'guides, words', found: sum(guides.map(countWords)), budget: 30_500 },
      { part: 'README, words', found: countWords('README.md'), budget: 600 },
      { part: 'CHANGELOG, lines', found: countLines('CHANGELOG.md'), budget: 80 },
      { part: 'largest page of the reference, bytes', found: countReferenceBytes(), budget: 340_000 },
      { part: 'npm scripts', found: Object.keys(JSON.parse(read('package.json')).scripts).length, budget: 25 },
      { part: 'commands of the service', found: countCommands(), budget: 14 },
      { part: 'list of MCP tools, bytes', found: await countToolBytes(), budget: 9_000 },
    ],
  ];
}

function print(sections: readonly (readonly Part[])[]): void {
  const columns = [{ title: '' }, ...['today', 'budget', ''].map((title) => ({ title, align: 'right' }) as const)];
  console.log(
    textTable(
      columns,
      sections.map((rows) => rows.map(toCells)),
    ),
  );
}

function toCells({ part, found, budget, tolerance = 1 }: Part): string[] {
  if (budget === undefined) return [part, format(found), '', ''];
  return [
    part,
    format(found),
    format(budget),
    found <= tolerance * budget ? 'met' : `${format(found - budget)} too many`,
  ];
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}

function isInSrc(name: string): boolean {
  return name.startsWith('src/') && isWritten(name) && !isTest(name);
}

function countLines(name: string): number {
  return read(name).split('\n').length - 1;
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
  return sum(tracked.filter(isInSrc).map((name) => read(name).match(pattern)?.length ?? 0));
}

/** Counts the commands in the help of the program, without `help`. */
function countCommands(): number {
  const help = run(process.execPath, '--import', 'tsx', 'src/main.ts', '--help');
  const [, commands = ''] = /^Commands:\n((?: .*\n)+)/m.exec(help) ?? [];
  return [...commands.matchAll(/^ {2}([a-z][\w-]*)/gm)].filter(([, name]) => name !== 'help').length;
}

/** Returns the size of the response to `tools/list`, which an agent reads before it says a word. */
async function countToolBytes(): Promise<number> {
  const { listTool, tools } = await import('../src/http/tools.js');
  return Buffer.byteLength(JSON.stringify({ tools: tools.map(listTool) }));
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
