import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { checkConformance } from '../conformance.js';

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
