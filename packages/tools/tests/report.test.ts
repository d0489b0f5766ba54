import { runHere } from '../../../testkit/command-line.js';
import { expect, test } from '../../../testkit/test.js';

test('a report prints the days of a person', async ({ service: { read, url, key, clock } }) => {
  // Ahead, as far as the report of a day reaches, because a day may begin before it.
  await read({ subject_id: 'p', heart_rate: 60, timestamp: clock.at(40) });
  await read({ subject_id: 'p', heart_rate: 64, timestamp: clock.at(40.001) });
  const report = (...args: string[]) =>
    runHere(['tools', 'report', '--url', url, '--subject', 'p', '--time-zone', 'UTC', ...args], { SERVICE_KEY: key });
  const printed = await report('--week');
  expect([printed.code, printed.stderr]).toEqual([0, '']);
  expect(printed.stdout).toContain('62 (60–64)');
  const { stdout } = await report('--day', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ interval: 'day', rows: [{ readings: 2 }] });
  expect(await report('--day', '--month')).toMatchObject({ code: 1, stderr: expect.stringContaining('only one of') });
  const unknown = await report('--subject', 'nobody');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('check --subject')]);
});
