import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { createStateClient } from '../../client/src/index.js';
import type { Schema } from '../../../src/contract/contract.js';
import { describeStates } from '../browser/person/hours.js';
import { flawsInLightAndDark, openBrowser } from '../../../testkit/browser.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { runCommand, startMain } from '../../../testkit/process.js';
import { Clock, shareTestService, startTestService, type TestService } from '../../../testkit/service.js';
import { temporaryDatabase } from '../../../testkit/temporary-database.js';
import { expect, test } from '../../../testkit/test.js';
import { backfill, dayMs, sendWeek, weekEnv } from '../../../testkit/week.js';
import { openDashboard } from '../../../testkit/dashboard.js';

const vienna = { timezoneId: 'Europe/Vienna' };
const person = 'p-7f3a';

const endMs = Math.floor(Date.now() / 300_000) * 300_000;

const share = shareTestService({
  env: weekEnv,
  clock: Object.assign(new Clock(), { nowMs: endMs - 8 * dayMs }),
});
let week: Promise<TestService> | undefined;
/** Returns a service with a person's week that ends now. Tests share it, and change nothing. */
const startWeek = () =>
  (week ??= share().then(async (service) => {
    await sendWeek({ ...service, setNow: (it) => (service.clock.nowMs = it) }, person, endMs);
    return service;
  }));

/** Sends heart rates of the person every five minutes from a time on. */
function sendRates({ url, key }: TestService, session_id: string, startMs: number, count: number): Promise<void> {
  const readings = Array.from({ length: count }, (_, index) => ({
    ...{ session_id, subject_id: person, heart_rate: 70 },
    timestamp: new Date(startMs + index * 300_000).toISOString(),
  }));
  return backfill(createStateClient({ baseUrl: url, key }), readings);
}

type Row = Schema<'SummaryRow'>;

const summaryOf = async ({ get }: TestService, query: string): Promise<Row[]> =>
  (await get(`/v1/subjects/${person}/summary?${query}`)).rows;

/** Opens the page of a person. `period` is e.g. `week/2026-11-23`. */
function open(service: TestService, period: string, options: BrowserContextOptions = {}, subject = person) {
  const path = period === '' ? '' : `/${period}`;
  return openDashboard(service, `subjects/${encodeURIComponent(subject)}${path}`, { ...vienna, ...options });
}

/** A page that is shown again requests everything again. */
const refresh = (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
const dateAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const labelsOf = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((found) => found.map((it) => it.getAttribute('aria-label') ?? ''));

test('a week shows the states, heart rate, topics, baseline and sessions, fits every width and is accessible', async () => {
  const service = await startWeek();
  const days = await summaryOf(service, `interval=day&time_zone=Europe/Vienna&from=${dateAgo(10)}T00:00:00Z`);
  expect(days.length).toBeGreaterThanOrEqual(7);
  const { page, complaints } = await open(service, `month/${days[0]?.date ?? ''}`);
  await page.locator('.strip rect').first().waitFor();
  await page.getByText('Show as a table').click();
  await page.locator('.period-table td').first().waitFor();
  expect([await flawsInLightAndDark(page), complaints]).toEqual([[], []]);
  await page.goto(`${service.url}/dashboard/#/subjects/${person}`);
  await page.locator('.strips.week .strip rect').first().waitFor();
  const present = await labelsOf(page, '.strip');
  // The page shows seven days up to today, which has no reading at first.
  const firstDay = new Intl.DateTimeFormat('sv-SE', { timeZone: vienna.timezoneId }).format(Date.now() - 6 * dayMs);
  const rates = days.flatMap(({ date = '', heart_rate }) => (date < firstDay || !heart_rate ? [] : heart_rate));
  const bounds = [Math.min(...rates.map(({ min }) => min)), Math.max(...rates.map(({ max }) => max))];
  const heart = await labelsOf(page, '.heart-plot svg');
  expect(heart.join()).toContain(`from ${bounds.map(Math.round).join(' to ')} bpm`);
  expect(await page.locator('.heart-band').count()).toBe(Number(/(\d+) hours/.exec(heart.join())?.[1]));
  await page.getByRole('button', { name: 'Previous week' }).click();
  const earlier = () => labelsOf(page, '.strip');
  await expect.poll(earlier).not.toEqual(present);
  const shown = [...(await earlier()), ...present].filter((it) => !it.endsWith('not measured'));
  expect(shown.map((it) => it.replace(/^[^:]*: /, ''))).toEqual(days.map((it) => describeStates(it.state_seconds)));

  const axis = await page.locator('.heart-plot .bound').allInnerTexts();
  expect(axis.length).toBeGreaterThanOrEqual(3);
  const edges = `[...document.querySelectorAll('.bound')].map((it) => it.getBoundingClientRect().right - document.querySelector('.heart-plot svg').getBoundingClientRect().left)`;
  for (const edge of await page.evaluate<number[]>(edges)) expect(edge).toBeLessThan(0);

  const lanes = await page.locator('.lanes > li').allInnerTexts();
  expect(lanes.map((it) => it.split('\n')[0])).toEqual(expect.arrayContaining(['job loss', 'sleep']));
  expect(lanes.join()).toMatch(/active from the first time \d{1,2} \w{3,4} \d{4}, 1[01]:00[^]*last seen/);
  const { baseline } = (await service.request(`/v1/subjects/${person}`)).body;
  const facts = await page.locator('.baseline').innerText();
  expect(facts).toContain(`${Math.round(baseline.heart_rate.resting_bpm)} bpm`);
  expect(facts).toContain(`known to ${Math.round(baseline.heart_rate.own_share * 100)} %`);
  const imports = page.locator('.person-sessions summary');
  await expect.poll(() => imports.allInnerTexts()).toEqual([expect.stringMatching(/^Import, .*[78] sessions$/)]);
  expect(await page.locator('.person-sessions > li').count()).toBe(8);
});

test('by keyboard: the period changes in one request, a day opens from its date, and going back returns', async () => {
  const service = await startWeek();
  const [day, next] = [dateAgo(3), dateAgo(2)];
  const { page } = await open(service, `week/${day}`);
  const requested: string[] = [];
  page.on('request', (it) => requested.push(it.url()));
  const title = page.locator('.period-title');
  await page.locator('.strip rect').first().waitFor();
  const week = await title.innerText();
  requested.length = 0;
  await page.getByRole('radio', { name: 'Week' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator('.strips.month').count()).toBe(1);
  // Each day is below its weekday.
  const misplaced = `[...document.querySelectorAll('.month li a')].filter((it) => {
    const left = (element) => Math.round(element.closest('li').getBoundingClientRect().left);
    const head = [...document.querySelectorAll('.weekday')].find(({ textContent }) => it.ariaLabel.startsWith(textContent));
    return left(head) !== left(it);
  }).length`;
  expect(await page.evaluate(misplaced)).toBe(0);
  expect(await page.locator('.month li a').count()).toBeGreaterThan(0);
  expect(requested.filter((it) => it.includes('/summary'))).toHaveLength(1);
  await page.keyboard.press('ArrowLeft');
  await page.locator('.strips.week').waitFor();
  await page.getByRole('button', { name: 'Previous week' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => title.innerText()).not.toBe(week);
  await page.goto(`${service.url}/dashboard/#/subjects/${person}/week/${day}`);
  await expect.poll(() => title.innerText()).toBe(week);
  await page.getByRole('link', { name: new RegExp(`^\\w+,? ${Number(day.slice(-2))} `) }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.strips.day').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe(person);
  await page.getByText('Show as a table').focus();
  await page.keyboard.press('Enter');
  const [from, to] = await page.evaluate<string[]>(
    `['${day}T00:00', '${next}T00:00'].map((it) => new Date(it).toISOString())`,
  );
  const hours = await summaryOf(service, `from=${from}&to=${to}`);
  await expect.poll(() => page.locator('.period-table tbody tr').count()).toBe(hours.length);
  await page.goBack();
  await expect.poll(() => title.innerText()).toBe(week);
});

test('hours are at the local time, also where an hour overlaps two days or the clock is set back', async () => {
  const clock = new Clock();
  // Europe/Vienna sets the clock back on 25 October 2026 at 01:00 UTC.
  clock.nowMs = Date.parse('2026-10-26T06:00:00Z');
  const service = await startTestService({ env: weekEnv, clock });
  await sendRates(service, `${person}-import-2026-99-99`, Date.parse('2026-10-24T22:00:00Z'), (25 * 60) / 5);
  const cells = async (timezoneId: string, day: string) => {
    const { page } = await open(service, `day/${day}`, { timezoneId });
    await page.locator('.strip rect').first().waitFor();
    const times = await page.locator('.strip title').allTextContents();
    return { measured: await page.locator('.measured').innerText(), times: times.map((it) => it.slice(0, 5)) };
  };
  const autumn = await cells('Europe/Vienna', '2026-10-25');
  expect(autumn.measured).toBe('25 h measured');
  expect(autumn.times).toEqual(Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`));
  const india = await cells('Asia/Kolkata', '2026-10-25');
  expect(india.times.slice(0, 2)).toEqual(['03:30', '04:30']);
  expect(india.times.at(-1)).toBe('23:30');
  const next = await cells('Asia/Kolkata', '2026-10-26');
  expect(next.times).toEqual(['00:00', '00:30', '01:30', '02:30', '03:30']);
});

test('an import names its days, also the next day of the time zone of the reader', async () => {
  const clock = new Clock();
  clock.nowMs = Date.parse('2026-11-21T06:00:00Z');
  const service = await startTestService({ env: weekEnv, clock });
  // Until 23:55 UTC, which is 00:55 of 21 November in Vienna.
  await sendRates(service, `${person}-import-2026-11-20`, Date.parse('2026-11-20T22:00:00Z'), 24);
  const { page } = await open(service, 'day/2026-11-20');
  const summary = page.locator('.person-sessions summary');
  const text = 'Import, 20 – 21 November 1 session';
  await expect.poll(() => summary.innerText(), { timeout: 15_000 }).toBe(text);
});

test('a person without data has a message, and an erased person disappears from the page', async ({ service }) => {
  const subject_id = '"><img/src=x>a/b?c#d%20e';
  await service.read({ subject_id, heart_rate: 70 });
  // A state counts until the time of the request.
  service.clock.advance(60);
  const { page, complaints } = await open(service, 'week/0000-99-99', {}, subject_id);
  await page.getByText('No readings in this time.').waitFor();
  await page.goto(`${service.url}/dashboard/#/subjects/${encodeURIComponent(subject_id)}`);
  await page.locator('.strip rect').first().waitFor();
  expect(await page.locator('h1').innerText()).toBe(subject_id);
  expect(await page.locator('main img').count()).toBe(0);
  await service.request(`/v1/subjects/${encodeURIComponent(subject_id)}`, { method: 'DELETE' });
  expect(complaints).toEqual([]);
  await refresh(page);
  await page.getByText('No data about this person.').waitFor();
  // The page is drawn every second, also after an erasure.
  await page.waitForTimeout(1_100);
  expect(await page.locator('.sentence').isVisible()).toBe(false);
  // What adds data of a person stays.
  const cards = page.locator('.person .card', { hasNotText: /Connect a phone|Import a file/ });
  await expect.poll(() => cards.filter({ visible: true }).count()).toBe(0);
  await page.goto(`${service.url}/dashboard/#/subjects/nobody`);
  await expect.poll(() => page.locator('h1').innerText()).toBe('nobody');
  await page.getByText('No data about this person.').waitFor();
});

test('while the service is stopped, a page keeps its person and week and shows no other hours, and it loads after the restart', async () => {
  const database = await temporaryDatabase('sqlite');
  const service = await startTestService({ env: weekEnv, database });
  await sendRates(service, 's1', Date.parse(`${dateAgo(3)}T10:00:00Z`), 48);
  const { page } = await open(service, `week/${dateAgo(3)}`);
  const other = await open(service, '', {}, 'other');
  await page.locator('.strip rect').first().waitFor();
  await page.getByText('Show as a table').click();
  await page.locator('.period-table td').first().waitFor();
  await other.page.getByText('No data about this person.').waitFor();
  const read = async () => ({
    strips: await labelsOf(page, '.strip'),
    hours: await page.locator('.strip rect').count(),
    heart: await page.locator('.heart-band').count(),
    rows: await page.locator('.period-table tbody').innerText(),
  });
  const shown = await read();
  await service.close();
  const noticeOn = (of: Page) => of.locator('.person > .notice').filter({ visible: true, hasText: 'did not respond' });
  for (let tries = 0; tries < 2; tries += 1) {
    const failed = page.waitForEvent('requestfailed', (it) => it.url().includes('/summary'));
    await refresh(page);
    await failed;
    await noticeOn(page).first().waitFor();
    expect(await read()).toEqual(shown);
  }
  await page.getByRole('button', { name: 'Previous week' }).click();
  await expect.poll(() => page.locator(':is(.strip rect, .heart-band, .sighting)').count()).toBe(0);
  expect(await page.locator('.baseline').innerText()).toContain('bpm');
  await page.getByRole('button', { name: 'Next week' }).click();
  // A page that is opened meanwhile loads, too.
  await other.page.evaluate(`location.hash = '#/subjects/${person}/week/${dateAgo(3)}'`);
  await noticeOn(other.page).first().waitFor();
  await startTestService({ env: { ...weekEnv, PORT: new URL(service.url).port }, database, clock: service.clock });
  await other.page.locator('.strip rect').first().waitFor();
  await refresh(page);
  await expect.poll(read).toEqual(shown);
  await expect.poll(() => noticeOn(page).count()).toBe(0);
});

/** Writes a week of heart rates every five minutes, as Apple Health exports it. */
async function writeExport(file: string): Promise<void> {
  const endMs = Date.now() - 120_000;
  const stamp = (atMs: number) => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
  const records = Array.from({ length: 2_016 }, (_, index) => {
    const time = stamp(endMs - (2_015 - index) * 300_000);
    const bpm = 64 + 12 * Math.sin(index / 57) + 5 * Math.sin(index / 3);
    return ` <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" creationDate="${time}" startDate="${time}" endDate="${time}" value="${bpm.toFixed(1)}"/>`;
  });
  await writeFile(file, `<?xml version="1.0"?>\n<HealthData locale="en_US">\n${records.join('\n')}\n</HealthData>\n`);
}

test('from the link of a first start: a week of Apple Health is imported by one command and shown', async () => {
  const folder = await temporaryFolder();
  const service = await startMain({ DATABASE_URL: `sqlite:${join(folder, 'state.db')}`, ...weekEnv });
  const link = await service.find(/(http\S+\/dashboard\/#key=sk_\w+)/);
  const file = join(folder, 'export.xml');
  await writeExport(file);
  const imported = ['--file', file, '--backfill', '--hours', '168', '--subject', person, '--url', service.url];
  const { stderr } = await runCommand('tools replay', imported, { SERVICE_KEY: link.replace(/.*=/, '') });
  const address = /Dashboard: (\S+)/.exec(stderr)?.[1] ?? stderr;

  const { page, complaints } = await openBrowser(service.url, vienna);
  await page.goto(link);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(address);
  await page.locator('.person-sessions summary').waitFor();
  expect(await page.locator('.person-sessions > li').count()).toBe(1);
  // The first and the last day are partial.
  await page.locator('.strips .measured').nth(5).waitFor();
  const measured = await page.locator('.strips .measured').allInnerTexts();
  expect(measured.filter((it) => it === '24 h measured').length).toBeGreaterThanOrEqual(5);
  expect(await page.locator('.heart-band').count()).toBeGreaterThan(140);
  await page.getByText(/known to 100 %/).waitFor();
  expect(complaints).toEqual([]);
});
