import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { until } from '../../testkit/until.js';
import { startScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

test('an interrupted benchmark drops its databases and prints no error', async () => {
  const folder = await temporaryFolder();
  const databases = async () => (await readdir(folder)).filter((name) => name.startsWith('state-service-'));
  const bench = startScript('lab/bench/bench', ['cpu', '--database', 'sqlite', '--slices', '100000'], {
    TMPDIR: folder,
  });
  await until('both databases are there', async () => (await databases()).length === 2);
  bench.signal('SIGINT');
  const { code, stdout, stderr } = await bench.ended;
  expect(stderr).not.toContain('error');
  expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
  expect(await databases()).toEqual([]);
});
