import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { corpusFolder } from '../../../testkit/corpus.js';
import { runHere } from '../../../testkit/command-line.js';
import { checkConformance, type CorpusFile } from '../conformance.js';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

const minutes = [{ time: '2026-11-20T09:00Z', heart_rate: 70 }];

/** Runs a reader over a corpus of one file, and returns the printed table. */
async function check(reader: string) {
  const corpus = await temporaryFolder();
  await writeFile(join(corpus, 'a.csv'), 'time,hr\n2026-11-20T09:00:00Z,70\n');
  const file = { file: 'a.csv', vendor: 'a', about: 'b', zone: 'UTC', minutes };
  await writeFile(join(corpus, 'corpus.json'), JSON.stringify([file]));
  const [printed] = [vi.spyOn(console, 'log').mockReturnValue(), vi.spyOn(console, 'error').mockReturnValue()];
  await checkConformance({ reader, corpus, json: true });
  const [row] = JSON.parse(String(printed.mock.calls[0]?.[0])) as { result: string }[];
  return { result: row?.result, code: process.exitCode };
}

test.each([
  [`echo '${JSON.stringify([{ ...minutes[0], heart_rate: 70.1, more: 1 }])}'`, 'right', undefined],
  [
    `cat > /dev/null; echo '[{"time":"2026-11-20T09:00Z","heart_rate":71}]'`,
    '2026-11-20T09:00Z: heart_rate 71 instead of 70',
    1,
  ],
  ['echo "[]"', '0 minutes instead of 1', 1],
  ['exit 3', 'no JSON was printed', 1],
  [
    'test "$RECORDING_NAME $RECORDING_ZONE" = "a.csv UTC" && grep -q 09:00 && echo 7',
    'no list of minutes was printed',
    1,
  ],
])('conformance runs the reader %s', async (reader, result, code) => {
  expect(await check(reader)).toMatchObject({ result, code });
});

// packages/recordings/tests/field-cases.test.ts reads every file of the corpus without a process per file.
test('the commands of the guide read a night, a language and values of days right, and name a wrong file', async () => {
  const corpus = await temporaryFolder();
  const names = ['fitbit/sleep-2026-11-20.json', 'apple-shortcuts/ja.json', 'google/daily_resting_heart_rate.csv'];
  const all = JSON.parse(await readFile(new URL('corpus.json', corpusFolder), 'utf8')) as readonly CorpusFile[];
  const files = all.filter(({ file }) => names.includes(file));
  for (const { file } of files) {
    await mkdir(dirname(join(corpus, file)), { recursive: true });
    await copyFile(new URL(file, corpusFolder), join(corpus, file));
  }
  const main = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
  const reader = `"${process.execPath}" "${main}" tools conformance --minutes "$RECORDING_NAME"`;
  const run = async (right: readonly CorpusFile[]) => {
    await writeFile(join(corpus, 'corpus.json'), JSON.stringify(right));
    return runHere(['tools', 'conformance', '--corpus', corpus, '--reader', reader], {});
  };
  expect(await run(files)).toMatchObject({ code: 0, stderr: '3 of 3 files are read right.\n' });
  const [night] = files.filter(({ facts }) => facts).map((it) => ({ ...it, facts: [] }));
  const wrong = await run(night ? [night] : []);
  expect(wrong).toMatchObject({ code: 1, stdout: expect.stringContaining('1 facts instead of 0') });
});
