import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawHours } from '../../src/tools/report.js';
import { runCommand } from '../support/process.js';
import { startTestService } from '../support/service.js';
import { temporaryFolder } from './temporary-folder.js';

test('a report prints the days of a person, and draws the states of the hours', async () => {
  const { read, url, key, clock } = await startTestService();
  await read({ subject_id: 'p', heart_rate: 60 });
  await read({ subject_id: 'p', heart_rate: 64, timestamp: clock.at(40) });
  const plot = join(await temporaryFolder(), 'week.svg');
  const report = (...args: string[]) =>
    runCommand('report', ['--url', url, '--subject', 'p', '--time-zone', 'UTC', ...args], { SERVICE_KEY: key });
  const printed = await report('--week', '--plot', plot);
  expect([printed.code, printed.stderr]).toEqual([0, `Written: ${plot}\n`]);
  expect(printed.stdout).toContain('62 (60–64)');
  expect(await readFile(plot, 'utf8')).toContain('Person p, time in UTC');
  const { stdout } = await report('--day', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ interval: 'day', rows: [{ readings: 2 }] });
  expect(await report('--day', '--month')).toMatchObject({ code: 1, stderr: expect.stringContaining('only one of') });
  const unknown = await report('--subject', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('check --subject')]);
});

test('an hour is drawn at its local time, with the share of each state as its width', () => {
  const seconds = { calm: 1800, relaxed: 0, focused: 0, stressed: 900, acute_stress: 0 };
  const rows = [{ start: '2026-03-10T23:00:00.000Z', state_seconds: seconds }];
  const svg = drawHours({ subject: 'p', timeZone: 'Europe/Vienna', rows });
  expect(svg).toContain('>2026-03-11<');
  expect(svg).toMatch(/<rect x="100" y="70" width="15" height="18" [^]*<rect x="115" y="70" width="7\.5" height="18"/);
});
