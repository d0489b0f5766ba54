import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { limitMs, runLab } from '../run-lab.js';

test(
  'the check kills the service under load, finds every reading and event, and cleans up',
  async () => {
    const args = ['--database', 'sqlite', '--only', 'service', '--kills', '2', '--sessions', '8'];
    const { code, stdout, stderr, left } = await runLab('check/durability', ...args);
    expect(stderr).toContain('2/2 kills, service on SQLite');
    const found = (what: string) => Number(new RegExp(`^ *${what} +(\\d+)`, 'm').exec(stdout)?.[1]);
    expect(found('service on SQLite: readings acknowledged')).toBeGreaterThanOrEqual(600);
    expect(found('in batches')).toBeGreaterThan(0);
    // Each event arrives at three streams of the account. Some events also arrive at the stream of their session.
    expect(found('events received by all streams')).toBeGreaterThanOrEqual(3 * 600);
    expect(found('state changes')).toBeGreaterThan(10);
    expect(found('reconnects of streams')).toBeGreaterThanOrEqual(2 * (8 + 3));
    for (const what of ['lost', 'missed', 'repeated', 'processes that ended unexpectedly']) expect(found(what)).toBe(0);
    expect(stdout).toContain('\nNo acknowledged reading, state change or alert was lost');
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

test(
  'two services and two workers that are killed neither lose nor duplicate nor reorder readings and events',
  async () => {
    const args = ['--database', 'sqlite', '--only', 'processes', '--kills', '4', '--sessions', '12'];
    const { code, stdout, stderr } = await runLab('check/durability', ...args);
    expect(stderr).toContain('4/4 kills, services and workers on SQLite');
    expect(stdout, stderr).toMatch(/^services and workers on SQLite: readings acknowledged +\d{3,}$/m);
    expect(stdout).toMatch(/^ {2}missing in an export +0 +0$/m);
    expect(stdout).toMatch(/^ {2}resends with a different response +0 +0$/m);
    expect(stdout).toMatch(/^state changes in responses +\d{2,} +≥ 1$/m);
    expect(stdout).toMatch(/^ {2}lost +0 +0$/m);
    expect(stdout).toMatch(/^kill -9 +4$/m);
    expect(code).toBe(0);
  },
  limitMs,
);

test(
  'processes that are killed while they evaluate alert rules neither lose nor repeat an alert',
  async () => {
    const args = ['--database', 'sqlite', '--only', 'alerts', '--kills', '2'];
    const { code, stdout, stderr } = await runLab('check/durability', ...args);
    expect(stdout, stderr).toMatch(/^alert rules on SQLite: people +2400$/m);
    for (const what of ['without an alert', 'with two alerts'])
      expect(stdout).toMatch(new RegExp(`^ {2}${what} +0 +0$`, 'm'));
    expect(code).toBe(0);
  },
  limitMs,
);

test.each([
  [['--kills', '0'], "error: option '--kills <number>' argument '0' is invalid. It must be a whole number above 0.\n"],
  [
    ['--only', 'disk'],
    "error: option '--only <target>' argument 'disk' is invalid. Allowed choices are service, processes, releases, alerts, server.\n",
  ],
  [
    ['--only', 'releases'],
    'error: an upgrade requires an earlier release: build it, and pass its dist/main.js with --earlier\n',
  ],
  [['--only', 'server', '--database', 'sqlite'], 'error: an embedded database has no server to kill\n'],
  [['--database', 'mysql'], 'error: no MySQL server is reachable: start one, or set TEST_MYSQL_URL\n'],
])('the option %j is rejected before any process is killed', async (args, line) => {
  const ended = await runScript('lab/check/durability', args, { TEST_MYSQL_URL: 'mysql://root@127.0.0.1:9' });
  expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
});
