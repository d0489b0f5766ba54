import { expect, test } from 'vitest';
import { runScript } from '../../testkit/process.js';
import { isAllowed } from '../../testkit/verdict.js';
import { limitMs, runLab } from '../run-lab.js';
import { findingsOfFault } from './faults/fault.js';

test(
  'no acknowledged reading and no webhook is lost while another process locks the database',
  async () => {
    const args = ['--database', 'sqlite', '--only', 'database-locked', '--seconds', '1'];
    const { code, stdout, left } = await runLab('check/faults', ...args);
    const [, acknowledged] = /^another process holds .* holds +(\d+) +0 +\d+ +\d+ +0 +\d+ +0$/m.exec(stdout) ?? [];
    expect(Number(acknowledged)).toBeGreaterThan(50);
    expect({ code, left }).toEqual({ code: 0, left: [] });
  },
  limitMs,
);

const well = { acknowledged: 9, lost: 0, changes: 8, missing: [], failures: { 'status 503': 3, ECONNRESET: 1 } };

test('a 503 or a broken connection during a fault is not a finding', () => {
  expect(findingsOfFault(well).filter((row) => !isAllowed(row))).toEqual([]);
});

test.each([
  ['a lost reading', { lost: 1 }],
  ['a missing webhook', { missing: ['s1 2026-11-21T09:00:00.000Z'] }],
  ['a 500', { failures: { 'status 500': 1 } }],
  ['a 400', { failures: { 'status 400': 1 } }],
])('%s during a fault is a finding', (_what, counts) => {
  expect(findingsOfFault({ ...well, ...counts }).filter((row) => !isAllowed(row))).toHaveLength(1);
});

test('an unknown fault is rejected with the list of known faults', async () => {
  const { code, stderr } = await runScript('lab/check/faults', ['--only', 'flood']);
  expect(stderr).toContain(
    'Must be a comma-separated list of: service-killed, database-stopped, database-frozen, database-locked, database-read-only,',
  );
  expect(code).toBe(1);
});
