import type { Copy, Reach } from './copy.js';
import type { WarmTests } from './warm-tests.js';

/** The tests of a file, without a change: how long each takes, and which changed code runs in it. */
export interface TestFile {
  readonly file: string;
  readonly cpuMs: number;
  readonly durationsMs: ReadonlyMap<string, number>;
  readonly reached: readonly Reach[];
}

/** What happened with a change: the files that noticed it, and the first failure, or why there is none. */
export interface Verdict {
  readonly noticedBy: readonly string[];
  readonly reason: string;
}

/** Longest duration of a test that runs before all others of its file, ms. */
const fastMs = 500;
const firstRunMs = 1_800_000;

/** Runs the unchanged code. Leaves out a file that fails, and prints it. `isPriced`: its CPU time is without its imports. */
export async function observe(
  copy: Copy,
  tests: WarmTests,
  texts: readonly string[],
  isPriced: boolean,
): Promise<TestFile[]> {
  const files: TestFile[] = [];
  // A new process, because what runs during an import is seen only once per process.
  await tests.cool();
  for (const file of await tests.find(texts)) {
    copy.select(0);
    const { failure, durationsMs } = await tests.run(file, firstRunMs);
    const reached = copy.readReached();
    // The first run loads modules that files share.
    const again = isPriced && failure === undefined ? await tests.run(file, firstRunMs) : undefined;
    const fault = failure ?? again?.failure;
    if (fault === undefined) files.push({ file, durationsMs, reached, cpuMs: copy.readCpuMs() });
    else process.stderr.write(`left out, because it fails without a change: ${file}: ${fault}\n`);
  }
  return files;
}

/**
 * Runs the tests that run the changed code, the fastest file first, until one fails, or the tests of every file. A failure
 * counts if the same test passes again without the change.
 */
export async function tryChange(
  copy: Copy,
  tests: WarmTests,
  { number, isTopLevel }: { readonly number: number; readonly isTopLevel: boolean },
  files: readonly TestFile[],
  isEveryFile: boolean,
): Promise<Verdict> {
  // Imported modules stay in the process, so that a change of what runs during an import requires a new process. A test
  // may import the module too.
  const isImported =
    isTopLevel || files.some(({ reached }) => reached.some((it) => it.number === number && it.isImport));
  const selections = files
    .flatMap((it) => select(it, number, isImported))
    .filter((it) => it.names.length > 0)
    .sort((a, b) => a.durationMs - b.durationMs);
  const failures = new Map<string, string>();
  for (const { file, names, durationMs } of selections) {
    if (failures.has(file) || (failures.size > 0 && !isEveryFile)) continue;
    if (isImported) await tests.cool();
    copy.select(number, names);
    const { failure, failed } = await tests.run(file, 60_000 + 10 * durationMs);
    if (isImported) await tests.cool();
    if (failure === undefined) continue;
    if (await passesWithout(copy, tests, file, failed === undefined ? [names] : [[failed], names]))
      failures.set(file, failure);
    else process.stderr.write(`fails also without the change: ${file}: ${failure}\n`);
  }
  const [first] = failures;
  const count = new Set(selections.map((it) => it.file)).size;
  const reason = count === 0 ? 'no test runs it' : `it runs in ${count} files`;
  return { noticedBy: [...failures.keys()], reason: first ? first.join(': ') : reason };
}

/** True if one of the selections of tests passes without a change. */
async function passesWithout(copy: Copy, tests: WarmTests, file: string, selections: readonly string[][]) {
  for (const names of selections) {
    copy.select(0, names);
    if ((await tests.run(file, firstRunMs)).failure === undefined) return true;
  }
  return false;
}

/** Returns the tests of a file that run the changed code: first the fast ones, then the others. */
function select({ file, durationsMs, reached }: TestFile, number: number, isAll: boolean) {
  const mine = reached.filter((it) => it.number === number);
  const isOutsideTests = isAll || mine.some((it) => it.test === undefined);
  const found = [...durationsMs].filter(([name]) => isOutsideTests || mine.some((it) => it.test === name));
  const isFast = ([, durationMs]: readonly [string, number]) => durationMs < fastMs;
  return [found.filter(isFast), found.filter((it) => !isFast(it))].map((tests) => ({
    file,
    names: tests.map(([name]) => name),
    durationMs: tests.reduce((sum, [, durationMs]) => sum + durationMs, 0),
  }));
}
