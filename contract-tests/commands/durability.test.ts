import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runScript } from './run-script.js';
import { temporaryFolder } from './temporary-folder.js';

const limitMs = 180_000;

test(
  'the check kills the service under load, finds every reading and event, and cleans up',
  async () => {
    const temporary = await temporaryFolder();
    const args = ['--database', 'sqlite', '--only', 'service', '--kills', '2', '--sessions', '8'];
    const { code, stdout, stderr } = await runScript('check/durability', args, { TMPDIR: temporary });
    expect(stderr).toContain('2/2 kills, service on SQLite');
    const [, acknowledged, batched, events, reconnects] =
      /^service on SQLite +2 +(\d+) +(\d+) +\d+ +(\d+) +(\d+) +0 +0 +0 +0$/m.exec(stdout) ?? [];
    expect(Number(acknowledged)).toBeGreaterThanOrEqual(600);
    expect(Number(batched)).toBeGreaterThan(0);
    // Each event arrives at the stream of its session and at three streams of the account.
    expect(Number(events)).toBeGreaterThanOrEqual(4 * 600);
    expect(Number(reconnects)).toBeGreaterThanOrEqual(2 * (8 + 3));
    expect(stdout).toContain('\nNo acknowledged reading was lost, and no stream missed or repeated an event.');
    expect((await readdir(temporary)).filter((name) => name.startsWith('state-service-'))).toEqual([]);
    expect(code).toBe(0);
  },
  limitMs,
);

test.each([
  [['--kills', '0'], "error: option '--kills <number>' argument '0' is invalid. It must be a whole number above 0.\n"],
  [
    ['--only', 'disk'],
    "error: option '--only <target>' argument 'disk' is invalid. Allowed choices are service, server.\n",
  ],
  [['--only', 'server', '--database', 'sqlite'], 'error: an embedded database has no server to kill\n'],
  [['--database', 'mysql'], 'error: no MySQL server is reachable: start one, or set TEST_MYSQL_URL\n'],
])('the option %j is rejected before any process is killed', async (args, line) => {
  const ended = await runScript('check/durability', args, { TEST_MYSQL_URL: 'mysql://root@127.0.0.1:9' });
  expect(ended).toEqual({ code: 1, stdout: '', stderr: line });
});
