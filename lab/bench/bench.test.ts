import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { limitMs, runLab } from '../run-lab.js';

const titles = [
  '(a) bare Express',
  '(b) with validation',
  '(c) a transaction',
  '(d) this service',
  '(e) with',
  '(h)',
  '(g)',
];
const short = ['--database', 'sqlite', '--seconds', '1', '--warm-up', '1'];
const nowhere = { TEST_MYSQL_URL: 'mysql://root@127.0.0.1:9' };

test(
  'the benchmark measures every contender and writes a table and JSON',
  async () => {
    const reports = await temporaryFolder();
    const { code, stdout, left } = await runLab('bench/bench', ...short, '--rounds', '1', '--reports', reports);
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
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

test(
  'the benchmark of CPU time measures each thread and the database, also relative to (b)',
  async () => {
    const args = ['--slices', '2', '--warm-up', '1', '--requests', '64'];
    const { code, stdout, left } = await runLab('bench/bench', 'cpu', ...args);
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
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

test(
  'the benchmark of CPU time fails for each thread that costs too much beside another tree',
  async () => {
    const args = ['--slices', '2', '--warm-up', '1', '--requests', '64', '--database', 'sqlite', '--before', '.'];
    const { code, stdout } = await runLab('bench/bench', 'cpu', ...args, '--ratio-max', '0.01');
    const slower = stdout.match(/^Slower on SQLite: the (HTTP|core) thread of \([de]\) .* costs \d\.\d\d × before$/gm);
    expect([code, slower?.length]).toEqual([1, 4]);
  },
  limitMs,
);

test('the benchmark reports an unreachable MySQL server before any measurement', async () => {
  const { code, stdout, stderr } = await runScript('lab/bench/bench', ['--database', 'mysql'], nowhere);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe('error: no MySQL server is reachable: start one, or set TEST_MYSQL_URL\n');
});

test(
  'the benchmark of streams measures latency, memory and throughput, and no event is missing',
  async () => {
    const args = ['--database', 'sqlite', '--streams', '20', '--seconds', '1', '--rounds', '1'];
    const { code, stdout, left } = await runLab('bench/bench', 'streams', ...args);
    expect(stdout).toMatch(/^p99 from response to event, 20 streams, ms +\d+\.\d +≤ 100$/m);
    expect(stdout).toMatch(/^memory per idle stream, kB +-?\d+\.\d +≤ 20$/m);
    expect(stdout).toMatch(/^of the throughput without +\d\.\d\d +≥ 0\.95$/m);
    expect(stdout).not.toContain('missing');
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  2 * limitMs,
);

test('the benchmark of the gateway measures the added latency, and every request is adapted', async () => {
  // A low rate, because a busy machine has time for few requests.
  const args = ['--database', 'sqlite', '--seconds', '2', '--rate', '2'];
  const { code, stdout, left } = await runLab('bench/bench', 'gateway', ...args);
  expect(stdout).toMatch(/^requests through the gateway +4$/m);
  expect(stdout).toMatch(/^added p50, ms +-?\d+\.\d\nadded p99, ms +-?\d+\.\d +≤ 15$/m);
  expect(stdout).toMatch(/^added p50 without the service, ms +-?\d+\.\d +≤ 2$/m);
  expect(stdout).toMatch(/^slowest \/healthz beside 20 uploads of 31 MB, invalid keys, ms +\d+\.\d$/m);
  expect(stdout).toMatch(/^slowest \/healthz beside 20 uploads of 31 MB, valid key, ms +\d+\.\d$/m);
  expect(stdout).toMatch(/^failed or not adapted +0 +0$/m);
  expect({ code, left }).toEqual({ code: 0, left: [] });
});

test(
  'the benchmark measures the load with and without a purge of expired rows, and drops its databases',
  async () => {
    const reports = await temporaryFolder();
    const small = ['--only', 'purge', '--readings', '24000', '--sessions', '240', '--triggers', '20'];
    const args = [...short, '--rounds', '1', ...small, '--reports', reports];
    const { code, stdout, left } = await runLab('bench/bench', 'growth', ...args);
    expect(stdout).toMatch(/^ingest +full( +[\d–]\S*){6}$/m);
    expect(stdout).toMatch(/^ +full, being purged( +[\d–]\S*){8} +p99 ≤ 1\.25 +(not )?met$/m);
    const [, purged] = /^Expired readings purged during each run and its warm-up: (\d+) /m.exec(stdout) ?? [];
    expect(Number(purged)).toBeGreaterThan(0);
    expect(stdout).not.toContain('Requests failed');
    const report = JSON.parse(await readFile(join(reports, 'bench-growth.json'), 'utf8'));
    expect(report).toMatchObject({ seconds: 1, rounds: 1, connections: 64, outcomes: [{ kind: 'sqlite' }] });
    expect(Object.keys(report.outcomes[0].runs)).toEqual(['purge full', 'purge purged']);
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

test(
  'the benchmark of people compares 200 days of readings with a tenth of them, and drops its databases',
  async () => {
    const args = ['--people', '2', '--readings', '4440', ...short, '--reports', await temporaryFolder()];
    const { stdout, stderr, left } = await runLab('bench/bench', 'growth', ...args);
    expect(stderr).not.toContain('error');
    expect(stdout.match(/^(start|reading|state|history|export|backup).*( +\d[\d.e+]*){3} +(its|≤)/gm)).toHaveLength(13);
    expect(stdout).toMatch(/^erasure of a person, ms( +\d[\d.e+]*){3} +its output grows$/m);
    expect(left).toEqual([]);
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
  const ended = await runScript('lab/bench/bench', ['growth', ...args], nowhere);
  expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
});
