import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

const titles = [
  '(a) bare Express',
  '(b) with validation',
  '(c) a transaction',
  '(d) this service',
  '(e) with',
  '(h)',
  '(g)',
];
/** Time limit, ms. Fourteen runs of one second and their process starts take up to this time on a busy machine. */
const limitMs = 240_000;

test(
  'the benchmark measures every contender and writes a table and JSON',
  async () => {
    const [reports, temporary] = [await temporaryFolder(), await temporaryFolder()];
    const args = ['--database', 'sqlite', '--seconds', '1', '--warm-up', '1', '--rounds', '1', '--reports', reports];
    const { code, stdout } = await runScript('lab/bench/bench', args, { TMPDIR: temporary });
    for (const title of titles) expect(stdout).toContain(`\n${title}`);
    expect(stdout).toMatch(/^\(d\) of \(b\), throughput +≥ 0\.8/m);
    expect(stdout).toMatch(/^\(h\) of \(g\), readings +≥ 5 +\d/m);
    expect(stdout).toMatch(/^\(d\) CPU seconds to ready +< 0\.8 +\d/m);
    expect(stdout).not.toContain('Requests failed');
    const report = JSON.parse(await readFile(join(reports, 'bench.json'), 'utf8'));
    expect(report).toMatchObject({ seconds: 1, rounds: 1, connections: 64, outcomes: [{ kind: 'sqlite' }] });
    expect(Object.keys(report.outcomes[0].runs)).toEqual([
      'bare',
      'validated',
      'storing',
      'service',
      'turns',
      'single',
      'batches',
    ]);
    // Checks that the databases were dropped.
    expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
    expect(code).toBe(0);
  },
  limitMs,
);

test(
  'the benchmark of CPU time measures each thread and the database, also relative to (b)',
  async () => {
    const temporary = await temporaryFolder();
    const args = ['--slices', '2', '--warm-up', '1', '--requests', '64'];
    const { code, stdout } = await runScript('lab/bench/bench', ['cpu', ...args], { TMPDIR: temporary });
    const cells = String.raw`( +\d+(\.\d\d)? \(.+?\)){5}`;
    for (const title of [
      '(b) with validation',
      '(d) this service',
      '(e) with conversation text',
      '(d) this service ÷ (b)',
    ])
      expect(stdout.match(new RegExp(`^${title.replace(/[()]/g, String.raw`\$&`)}${cells}$`, 'gm'))).toHaveLength(2);
    expect(stdout).toMatch(
      /^\(d\) this service: [1-9]\d* bytes to MariaDB per reading, [1-9]\d* bytes of its redo log\n\d+\.\d statements per commit of \d/m,
    );
    const isDatabase = (name: string) => /^(state-service|private-mariadb)-/.test(name);
    expect((await readdir(temporary)).filter(isDatabase)).toEqual([]);
    expect(code).toBe(0);
  },
  limitMs,
);

test('the benchmark reports an unreachable MySQL server before any measurement', async () => {
  const nowhere = { TEST_MYSQL_URL: 'mysql://root@127.0.0.1:9' };
  const { code, stdout, stderr } = await runScript('lab/bench/bench', ['--database', 'mysql'], nowhere);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe('error: no MySQL server is reachable: start one, or set TEST_MYSQL_URL\n');
});

test(
  'the benchmark of streams measures latency, memory and throughput, and no event is missing',
  async () => {
    const temporary = await temporaryFolder();
    const args = ['--database', 'sqlite', '--streams', '20', '--seconds', '1', '--rounds', '1'];
    const { code, stdout } = await runScript('lab/bench/bench', ['streams', ...args], { TMPDIR: temporary });
    expect(stdout).toMatch(/^p99 from response to event, 20 streams, ms +\d+\.\d +≤ 100$/m);
    expect(stdout).toMatch(/^memory per idle stream, kB +-?\d+\.\d +≤ 20$/m);
    expect(stdout).toMatch(/^of the throughput without +\d\.\d\d +≥ 0\.95$/m);
    expect(stdout).not.toContain('missing');
    expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
    expect(code).toBe(0);
  },
  2 * limitMs,
);

test('the benchmark of the gateway measures the added latency, and every request is adapted', async () => {
  const temporary = await temporaryFolder();
  // A low rate, because a busy machine has time for few requests.
  const args = ['--database', 'sqlite', '--seconds', '2', '--rate', '2'];
  const { code, stdout } = await runScript('lab/bench/bench', ['gateway', ...args], { TMPDIR: temporary });
  expect(stdout).toMatch(/^requests through the gateway +4$/m);
  expect(stdout).toMatch(/^added p50, ms +-?\d+\.\d\nadded p99, ms +-?\d+\.\d +≤ 15$/m);
  expect(stdout).toMatch(/^added p50 without the service, ms +-?\d+\.\d +≤ 2$/m);
  expect(stdout).toMatch(/^slowest \/healthz beside 20 uploads of 31 MB, invalid keys, ms +\d+\.\d$/m);
  expect(stdout).toMatch(/^slowest \/healthz beside 20 uploads of 31 MB, valid key, ms +\d+\.\d$/m);
  expect(stdout).toMatch(/^failed or not adapted +0 +0$/m);
  expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
  expect(code).toBe(0);
});
