import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { limitMs, runLab } from '../run-lab.js';

/** Node programs that run the service. CI sets one per supported release. */
const programs = process.env['TEST_NODE_BINARIES']?.split(delimiter) ?? [process.execPath];
/** Scenarios to run. The scenarios that depend on Node's HTTP server run on each release. */
const items = process.env['TEST_NODE_BINARIES'] ? '1,3' : '1';

test.each(programs)(
  'the service on %s withstands attacks on its HTTP server, and the check ends every process',
  async (program) => {
    const json = join(await temporaryFolder(), 'outcomes.json');
    const args = ['--database', 'sqlite', '--only', items, '--seconds', '1', '--node', program, '--json', json];
    const { code, stdout, left } = await runLab('check/attacks', ...args);
    expect(stdout).toMatch(/^1 +pipelined requests .* SQLite +holds /m);
    expect(stdout).toContain('\nThe service withstands all scenarios.');
    const [outcome] = JSON.parse(await readFile(json, 'utf8'));
    expect(outcome.with.counts.acknowledged).toBeGreaterThan(10);
    expect(outcome.with.counts.changes).toBeGreaterThan(10);
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

test('an unknown item is rejected with the list of valid numbers', async () => {
  const { code, stderr } = await runScript('lab/check/attacks', ['--only', '11']);
  expect(stderr).toContain(
    'Must be a comma-separated list of: 1, 2, 3, 4, 8, 9, 16, 18, 19, 32, 53, 54, 57, 60, 75, 81.',
  );
  expect(code).toBe(1);
});
