import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { flawsInLightAndDark, phone } from '../../../testkit/browser.js';
import { realTime, root, startTestService, type TestService } from '../../../testkit/service.js';
import { zip } from '../../../testkit/zip.js';
import { toolsCommand } from '../../tools/commands.js';
import { openDashboard } from '../../../testkit/dashboard.js';
import { exportRows } from '../../../testkit/batch.js';

const person = 'p-import';
const sample = (name: string) => readFileSync(new URL(`samples/recordings/${name}`, root));

async function open(service: Pick<TestService, 'url' | 'key'>, viewport = {}) {
  const options = { timezoneId: 'Europe/Vienna', ...viewport };
  const { page, complaints } = await openDashboard(service, `subjects/${person}`, options);
  const card = page.getByRole('region', { name: 'Import a file' });
  const choose = (name: string, content: string | Uint8Array) =>
    card
      .getByLabel('Files of one person')
      .setInputFiles([{ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) }]);
  return { page, card, choose, complaints: () => complaints.filter((it) => !it.endsWith('404 (Not Found)')) };
}

/** Returns the stored readings of the person, without what the service computed. */
const listStored = async (service: TestService) =>
  (await exportRows(service, `subject_id=${person}`)).map(({ reading }) => reading);

/** Drops a file on the card. */
async function drop(page: Page, name: string, content: Uint8Array): Promise<void> {
  const bytes = JSON.stringify([...content]);
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${bytes})], ${JSON.stringify(name)}));
      return data;
    })()`,
  );
  await page.getByRole('region', { name: 'Import a file' }).dispatchEvent('drop', { dataTransfer: data });
}

test('a FIT file and a ZIP are imported as the command imports them, and importing again changes nothing', async () => {
  const service = await startTestService({ clock: realTime(), env: { RETENTION_READINGS_HOURS: '87600' } });
  const { page, card, choose, complaints } = await open(service);
  await choose('activity.fit', sample('activity.fit'));
  await card.getByText(/^Read fit: 10 minutes, .* Readings: 10 stored, 0 replaced, 0 unchanged\.$/).waitFor();
  await page
    .getByRole('region', { name: 'All sessions' })
    .getByText(/^Import, 20/)
    .waitFor();
  const stored = await listStored(service);
  expect(stored.map(({ session_id }) => session_id)).toEqual(Array(10).fill(`${person}-import-2024-11-20`));
  expect(stored[0]).toMatchObject({ timestamp: '2024-11-20T09:00:00.000Z', sample_id: expect.any(String) });

  const command = toolsCommand({ root, env: {}, jsonOption: ['--json', '', false] }).commands.find(
    (it) => it.name() === 'import',
  );
  const args = ['--backfill', '--subject', person, '--file', 'samples/recordings/activity.fit'];
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'log').mockReturnValue();
  await command?.parseAsync(['--url', service.url, '--key', service.key, ...args], { from: 'user' });
  expect(printed.mock.calls.join('\n')).toContain('0 stored, 0 replaced, 10 unchanged.');
  vi.restoreAllMocks();
  expect(await listStored(service)).toEqual(stored);

  const content = zip([
    { name: 'a/activity.fit', content: sample('activity.fit') },
    { name: 'a/readme.txt', content: 'hello', isStored: true },
    { name: 'a/export.xml', content: sample('export.xml') },
  ]);
  await drop(page, 'export.zip', content);
  await card
    .getByText(/^Read fit, apple-health: 10 minutes, .* Readings: \d+ stored, \d+ replaced, \d+ unchanged\.$/)
    .waitFor();
  await card.getByText('Skipped 1 value: a file in the ZIP that is no recording').waitFor();
  expect(complaints()).toEqual([]);
});

test('what the values show is shown before it is stored, and the export of Health Auto Export is read', async () => {
  const service = await startTestService({ clock: realTime(), env: { RETENTION_READINGS_HOURS: '87600' } });
  const { card, choose } = await open(service);
  const when = 'when,hr\n2024-11-20T09:00:00Z,70\n2024-11-20T09:01:00Z,71\n';
  await choose('when.csv', when);
  await card.getByText('time: the column when').waitFor();
  await card.getByRole('button', { name: 'Cancel' }).click();
  await card.getByText('Not imported. cancelled: nothing was sent.').waitFor();
  expect(await listStored(service)).toEqual([]);
  await choose('when.csv', when);
  await card.getByRole('button', { name: 'Import', exact: true }).click();
  await card.getByText('Values: 2 used, 2 context.').waitFor();
  expect(await listStored(service)).toHaveLength(2);
  const data = [{ date: '2024-11-20 10:05:00 +0100', Min: 60, Avg: 64, Max: 70, source: 'Watch' }];
  const metrics = [{ name: 'heart_rate', units: 'count/min', data }];
  const [start, end] = ['2024-11-20 10:00:00 +0100', '2024-11-20 10:30:00 +0100'];
  const workouts = [{ id: 'w', name: 'Outdoor Run', start, end }];
  await choose('hae.json', JSON.stringify({ data: { metrics, workouts } }));
  await card.getByText(/Read json: 1 minute, .* Readings: 1 stored, .*\. 1 fact stored\.$/).waitFor();
  // The run also explains the minutes of the other file.
  expect((await listStored(service)).map((it) => it.activity_level)).toEqual(Array(3).fill('vigorous'));
});

test('a CSV of two people is refused until one of them is named, and other options are fields, too', async () => {
  const service = await startTestService({ clock: realTime(), env: { RETENTION_READINGS_HOURS: '87600' } });
  const { page, card, choose, complaints } = await open(service, { viewport: phone });
  const rows = [0, 1, 2, 3].flatMap((minute) => [`1,20.11.2024 09:0${minute},60`, `2,20.11.2024 09:0${minute},140`]);
  const people = ['Person ID,Time,bpm', ...rows].join('\n');
  await choose('people.csv', people);
  await card
    .getByText(/Not imported\. people\.csv: column Person ID has 2 people .*“Person in the file” 1\./)
    .waitFor();
  expect(await card.getByLabel('Person in the file').getAttribute('aria-invalid')).toBe('true');
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await card.getByLabel('Person in the file').fill('2');
  await choose('people.csv', people);
  await card.getByText('Readings: 4 stored, 0 replaced, 0 unchanged.').waitFor();
  // Local times are in the time zone of the browser.
  expect((await listStored(service)).map(({ timestamp, heart_rate }) => [timestamp, heart_rate])).toEqual(
    [0, 1, 2, 3].map((minute) => [`2024-11-20T08:0${minute}:00.000Z`, 140]),
  );
  await card.getByLabel('Person in the file').fill('');
  await choose('dates.csv', 'Time,bpm\n02/03/2024 09:00,60\n02/03/2024 09:01,61\n');
  await card.getByText('“Order of dates” dmy, mdy or ymd').waitFor();
  await card.getByLabel('Order of dates').selectOption('mdy');
  await card.getByLabel('Time zone').fill('UTC');
  await choose('dates.csv', 'Time,bpm\n02/03/2024 09:00,60\n02/03/2024 09:01,61\n');
  await card.getByText('Readings: 2 stored, 0 replaced, 0 unchanged.').waitFor();
  expect((await listStored(service)).map(({ timestamp }) => timestamp)).toContain('2024-02-03T09:00:00.000Z');
  expect(complaints()).toEqual([]);
});

test('a file that is no recording, the database of Health Connect and a recording before the retention get a clear error', async () => {
  const service = await startTestService({ clock: realTime() });
  const { card, choose } = await open(service);
  for (const [name, content, message] of [
    ['a.pdf', '%PDF-1.7', 'Not imported. a.pdf: format not known: a PDF'],
    ['a.zip', Buffer.concat([zip([{ name: 'a.fit', content: 'x' }]).subarray(0, 40)]), 'the ZIP is damaged or cut off'],
    [
      'health_connect_export.db',
      sample('health_connect_export.db'),
      'is read by a command only: state-service tools import',
    ],
    [
      'activity.fit',
      sample('activity.fit'),
      'Not imported. The service keeps 24 hours, and the file has only 10 readings older than that.',
    ],
  ] as const) {
    await choose(name, content);
    await card.locator('.fault').getByText(message).waitFor();
  }
  expect(await listStored(service).catch(() => [])).toEqual([]);
});

test('of a file of nine days, the page says what is stored and what is too old, and stores the rest with one button', async () => {
  const service = await startTestService({ clock: realTime(), env: { RETENTION_READINGS_HOURS: '192' } });
  const { card, choose, complaints } = await open(service);
  const at = (hours: number) => `${service.clock.at(-hours * 3_600).slice(0, 17)}00Z`;
  const rows = [216, 215, 192, 120, 2].map((hours) => `${at(hours)},7${hours % 10}`);
  await card.getByText('Options').click();
  await card.getByLabel('Time to import').selectOption('720');
  const import9 = () => choose('nine-days.csv', ['timestamp,heart_rate', ...rows].join('\n'));
  await import9();
  await card.getByText('The service keeps 8 days:').waitFor();
  await card.getByText(/^To be stored: 2 readings, \S.* to \S.*\.$/).waitFor();
  await card.getByText(/^Left out: 3 readings older than that\. .*accounts set ACCOUNT keep-readings 240$/).waitFor();
  expect(await card.innerText()).not.toMatch(/RETENTION|restart/);
  expect(await card.locator('[aria-invalid=true]').count()).toBe(0);
  await card.getByRole('button', { name: 'Cancel' }).click();
  await card.getByText('Not imported. cancelled: nothing was sent.').waitFor();
  expect(await listStored(service).catch(() => [])).toEqual([]);
  await import9();
  await card.getByRole('button', { name: 'Store 2 readings' }).click();
  await card.getByText(/Readings: 2 stored, 0 replaced, 0 unchanged, 3 rejected\.$/).waitFor();
  await card.getByText('Rejected 3 readings: older than the service keeps').waitFor();
  expect((await listStored(service)).map((it) => it.heart_rate)).toEqual([70, 72]);
  expect(complaints()).toEqual([]);
});
