import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

const limitMs = 240_000;

test(
  'the benchmark measures the load with and without a purge of expired rows, and drops its databases',
  async () => {
    const [reports, temporary] = [await temporaryFolder(), await temporaryFolder()];
    const small = ['--only', 'purge', '--readings', '24000', '--sessions', '240', '--triggers', '20'];
    const args = ['--database', 'sqlite', '--seconds', '1', '--warm-up', '1', '--rounds', '1', ...small];
    const { code, stdout } = await runScript('lab/bench/bench', ['growth', ...args, '--reports', reports], {
      TMPDIR: temporary,
    });
    expect(stdout).toMatch(/^ingest +full( +[\d–]\S*){6}$/m);
    expect(stdout).toMatch(/^ +full, being purged( +[\d–]\S*){8} +p99 ≤ 1\.25 +(not )?met$/m);
    const [, purged] = /^Expired readings purged during each run and its warm-up: (\d+) /m.exec(stdout) ?? [];
    expect(Number(purged)).toBeGreaterThan(0);
    expect(stdout).not.toContain('Requests failed');
    const report = JSON.parse(await readFile(join(reports, 'bench-growth.json'), 'utf8'));
    expect(report).toMatchObject({ seconds: 1, rounds: 1, connections: 64, outcomes: [{ kind: 'sqlite' }] });
    expect(Object.keys(report.outcomes[0].runs)).toEqual(['purge full', 'purge purged']);
    expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
    expect(code).toBe(0);
  },
  limitMs,
);

test(
  'the benchmark of people compares 200 days of readings with a tenth of them, and drops its databases',
  async () => {
    const [reports, temporary] = [await temporaryFolder(), await temporaryFolder()];
    const args = ['--people', '2', '--readings', '4440', '--database', 'sqlite', '--seconds', '1', '--warm-up', '1'];
    const { stdout, stderr } = await runScript('lab/bench/bench', ['growth', ...args, '--reports', reports], {
      TMPDIR: temporary,
    });
    expect(stderr).not.toContain('error');
    expect(stdout.match(/^(start|reading|state|history|export|backup).*( +\d[\d.e+]*){3} +(its|≤)/gm)).toHaveLength(13);
    expect(stdout).toMatch(/^erasure of a person, ms( +\d[\d.e+]*){3} +its output grows$/m);
    expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
  },
  limitMs,
);

test.each([
  [
    ['--readings', 'many'],
    "error: option '--readings <number>' argument 'many' is invalid. It must be a whole number above 0.\n",
  ],
  [
    ['--only', 'everything'],
    "error: option '--only <load>' argument 'everything' is invalid. " +
      'Allowed choices are ingest, purge, state, any-state, history, long-history, profile.\n',
  ],
  [['--database', 'mysql'], 'error: no MySQL server is reachable: start one, or set TEST_MYSQL_URL\n'],
])('the option %j is rejected before any data is written', async (args, line) => {
  const ended = await runScript('lab/bench/bench', ['growth', ...args], { TEST_MYSQL_URL: 'mysql://root@127.0.0.1:9' });
  expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
});
