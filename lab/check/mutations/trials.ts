import { relative } from 'node:path';
import type { Copy, Reach } from './copy.js';
import type { WarmTests } from './warm-tests.js';

/** The tests of a file, without a change: how long each takes, and which changed code runs in it. */
interface TestFile {
  readonly file: string;
  readonly durationsMs: ReadonlyMap<string, number>;
  readonly reached: readonly Reach[];
}

/** What happened with a change: the failure that noticed it, or why none did. */
export interface Verdict {
  readonly isNoticed: boolean;
  readonly reason: string;
}

/** Longest duration of a test that runs before all others of its file, ms. */
const fastMs = 500;
const firstRunMs = 1_800_000;

/** Runs the unchanged code. Leaves out a file that fails, and prints it. */
export async function observe(copy: Copy, tests: WarmTests, texts: readonly string[]): Promise<TestFile[]> {
  const files: TestFile[] = [];
  // A new process, because what runs during an import is seen only once per process.
  await tests.cool();
  for (const file of await tests.find(texts)) {
    copy.select(0);
    const { failure, durationsMs } = await tests.run(file, firstRunMs);
    if (failure === undefined) files.push({ file, durationsMs, reached: copy.readReached() });
    else process.stderr.write(`left out, because it fails without a change: ${file}: ${failure}\n`);
  }
  return files;
}

/**
 * Runs the tests that run the changed code, the fastest file first, until one fails. A failure counts if the same test
 * passes again without the change.
 */
export async function tryChange(
  copy: Copy,
  tests: WarmTests,
  { number, isTopLevel }: { readonly number: number; readonly isTopLevel: boolean },
  files: readonly TestFile[],
): Promise<Verdict> {
  // Imported modules stay in the process, so that a change of what runs during an import requires a new process. A test
  // may import the module too.
  const isImported =
    isTopLevel || files.some(({ reached }) => reached.some((it) => it.number === number && it.isImport));
  const selections = files
    .flatMap((it) => select(it, number, isImported))
    .filter((it) => it.names.length > 0)
    .sort((a, b) => a.durationMs - b.durationMs);
  for (const { file, names, durationMs } of selections) {
    if (isImported) await tests.cool();
    copy.select(number, names);
    const { failure, failed } = await tests.run(file, 60_000 + 10 * durationMs);
    if (isImported) await tests.cool();
    if (failure === undefined) continue;
    for (const repeated of [failed === undefined ? names : [failed], names]) {
      copy.select(0, repeated);
      const { failure: unrelated } = await tests.run(file, firstRunMs);
      if (unrelated === undefined) return { isNoticed: true, reason: `${relative(process.cwd(), file)}: ${failure}` };
    }
    process.stderr.write(`fails also without the change: ${file}: ${failure}\n`);
  }
  return {
    isNoticed: false,
    reason:
      selections.length === 0 ? 'no test runs it' : `it runs in ${new Set(selections.map((it) => it.file)).size} files`,
  };
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
