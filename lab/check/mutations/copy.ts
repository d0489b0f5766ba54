import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isInstalled, outsideFolders } from '../../../testkit/outside.js';
import { type Change, switchChanges } from './changes.js';

export interface Place extends Change {
  readonly path: string;
  /** The line, the text before and after the change. */
  readonly description: string;
}

/** Where the code of a change ran: in a test, or in a hook, an import or another process (`test` is absent). */
export interface Reach {
  readonly number: number;
  readonly isImport?: true;
  readonly test?: string;
}

/** A copy of the committed files that contains all changes. At most one of them has an effect at a time. */
export interface Copy {
  /** Lets one change have an effect, or none (0), in the named tests of a file, or in all. The other tests are skipped. */
  select(change: number, tests?: readonly string[]): void;
  /** Returns which code has run since the last call of `select`. */
  readReached(): Reach[];
  /** Returns the CPU time of the last test file, with its ended child processes. */
  readCpuMs(): number;
}

/** Copies the committed files into an empty folder and adds the changes. The number of a change is its index plus 1. */
export function makeCopy(folder: string, places: readonly Place[]): Copy {
  execFileSync('git', ['checkout-index', '--all', `--prefix=${folder}/`]);
  for (const path of ['.', ...outsideFolders.filter(isInstalled)])
    symlinkSync(join(process.cwd(), path, 'node_modules'), join(folder, path, 'node_modules'));
  const selected = `${folder}/selected.json`;
  const reached = `${folder}/reached.jsonl`;
  writeFileSync(`${folder}/switch.mjs`, switchOf(selected, reached));
  for (const path of new Set(places.map((it) => it.path))) {
    const text = readFileSync(path, 'utf8');
    const numbered = places.flatMap((it, index) => (it.path === path ? [[index + 1, it] as const] : []));
    const from = JSON.stringify(relative(dirname(path), 'switch.mjs'));
    const head = `import { isChanged } from ${from}; `;
    writeFileSync(`${folder}/${path}`, head + switchChanges(text, new Map(numbered)));
  }
  const cpu = `${folder}/cpu`;
  const setup = `${folder}/testkit/end-of-file.ts`;
  writeFileSync(setup, measureCpu(cpu) + readFileSync(setup, 'utf8') + selectTests);
  // The tests of these features do not read the documentation.
  const build = `${folder}/scripts/test/build.ts`;
  writeFileSync(build, readFileSync(build, 'utf8').replace(", 'documentation'", ''));
  const select = (change: number, tests?: readonly string[]) => {
    writeFileSync(selected, JSON.stringify({ change, tests }));
    writeFileSync(reached, '');
  };
  select(0);
  const readReached = () =>
    readFileSync(reached, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Reach);
  return { select, readReached, readCpuMs: () => Number(readFileSync(cpu, 'utf8')) };
}

/** Every process and thread reads the selection when its first change is reached, the process of the tests per file. */
function switchOf(selected: string, reached: string): string {
  return `import { appendFileSync, readFileSync } from 'node:fs';
const seen = new Set();
let now = {};
export let selection;
export const load = () => (selection = JSON.parse(readFileSync(${JSON.stringify(selected)}, 'utf8')));
export function enter(place) {
  seen.clear();
  now = place;
}
export function isChanged(number) {
  if (!seen.has(number)) {
    seen.add(number);
    appendFileSync(${JSON.stringify(reached)}, JSON.stringify({ number, ...now }) + '\\n');
  }
  return (selection ?? load()).change === number;
}
`;
}

/** Runs before every test file. Hooks after the tests run in reverse order, so that this one is the last. */
const measureCpu = (file: string) => `
import { writeFileSync } from 'node:fs';
import { readCpuWithChildren } from './program.js';
const cpuBeforeMs = readCpuWithChildren();
afterAll(() => writeFileSync(${JSON.stringify(file)}, String(readCpuWithChildren() - cpuBeforeMs)));
`;

/** Runs before every test file. */
const selectTests = `
import { beforeAll, beforeEach } from 'vitest';
import { enter, load, selection } from '../switch.mjs';
load();
enter({ isImport: true });
beforeAll(() => enter({}));
beforeEach(({ task, skip }) => {
  if (selection.tests && !selection.tests.includes(task.fullTestName)) skip();
  enter({ test: task.fullTestName });
});
afterAll(() => enter({}));
`;
