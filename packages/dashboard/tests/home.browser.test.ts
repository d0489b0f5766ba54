import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { say } from '../../sentence/messages.js';
import type { Schema } from '../../../src/contract/contract.js';
import { batchResults } from '../../../testkit/batch.js';
import { barriers, flawsInLightAndDark, narrow, openBrowser } from '../../../testkit/browser.js';
import type { TestDatabase } from '../../../testkit/databases.js';
import { Clock, shareTestService, startTestService, type TestService } from '../../../testkit/service.js';
import { temporaryDatabase } from '../../../testkit/temporary-database.js';

const tones = ['calm', 'neutral', 'tense', 'hostile'] as const;
/** Difference of the service's clock from the real one, ms. */
let behindMs = 0;

/**
 * Sends two readings of each session of a crowd of 200 people, a session whose score rises, and a session that ended six
 * minutes ago.
 */
async function fill(service: TestService, crowd = 600): Promise<void> {
  behindMs = 360_000;
  await service.read({ session_id: 'over', timestamp: now(), heart_rate: 150, tone: 'hostile' });
  behindMs = 0;
  for (let from = 0; from < crowd; from += 200) {
    const lines = Array.from({ length: 400 }, (_, index) => {
      const [session, age] = [from + (index % 200), 40 - 30 * Math.floor(index / 200)];
      const heart_rate = 52 + ((session * 37) % 70) + (age % 20);
      const subject_id = `person-${session % 200}`;
      return { session_id: `s-${session}`, subject_id, timestamp: now(-age), heart_rate, tone: tones[session % 4] };
    });
    expect((await batchResults(service, lines)).every(({ status }) => status === 200)).toBe(true);
  }
  for (const [index, heart_rate] of [60, 70, 95, 120, 150].entries())
    await service.read({
      session_id: 'rising',
      timestamp: now(index * 5 - 25),
      heart_rate,
      tone: tones[index] ?? 'hostile',
    });
}

function now(seconds = 0): string {
  return new Date(Date.now() - behindMs + seconds * 1_000).toISOString();
}

const clock = Object.assign(new Clock(), { now: () => Date.now() - behindMs });
const start = (database: TestDatabase, PORT: string) => startTestService({ clock, database, env: { PORT } });
const share = shareTestService({ clock });
let crowd: Promise<TestService> | undefined;
/** Returns a service with 602 sessions, which tests share. */
const startCrowd = () =>
  (crowd ??= share().then(async (service) => {
    await fill(service);
    return service;
  }));

async function open({ url, key }: TestService, page: Page): Promise<void> {
  await page.goto(`${url}/dashboard/#key=${key}`);
  await page.locator('.rows li:not(.group)').nth(90).waitFor();
}

/** Returns the names of the sessions that the list shows. */
const shown = (page: Page) => page.locator('.rows strong').allTextContents();

async function countStates({ request }: TestService): Promise<Record<string, number>> {
  return (await request('/v1/sessions?sort=score')).body.states;
}

test('600 sessions are counted, sorted, filtered and updated live, by keyboard and without a request per session', async () => {
  const service = await startCrowd();
  const { page, complaints } = await openBrowser(service.url);
  const requested: string[] = [];
  page.on('request', (it) => requested.push(new URL(it.url()).pathname));
  await open(service, page);
  const countOf = (state: string) => page.getByRole('button', { name: new RegExp(`^${state} \\d+$`) });

  // The counts and the order are those of the service.
  const { body } = await service.request('/v1/sessions?sort=score');
  await expect.poll(() => countOf('Acute stress').innerText()).toContain(String(body.states.acute_stress));
  await page.getByText('601 live sessions, 1 ended').waitFor();
  const scores = await page.locator('.rows .score-chip').allTextContents();
  expect(scores.slice(0, 50).map(Number)).toEqual(body.sessions.map((it: Schema<'SessionSummary'>) => it.stress_score));
  await page.getByText('Needs attention: acute stress now, or stressed for 10 minutes or longer').waitFor();
  expect(await page.locator('.sparkline .recent:not(.dot)').count()).toBe(100);

  // A state filters the list, and "rising" marks a rise of the last minutes.
  await countOf('Ended').focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => shown(page)).toEqual(['over']);
  await expect
    .poll(() => page.locator('.rows li.ended').innerText())
    .toMatch(/Ended · (acute )?stress(ed)?\s+\d min ago/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Search a session or a person').fill('rising');
  await expect.poll(() => shown(page)).toEqual(['rising']);
  await expect.poll(() => page.locator('.rows li:not(.group)').innerText()).toContain(' ↗ rising · a strained voice');
  await page.getByLabel('Search a session or a person').fill('person-7');
  await expect.poll(async () => (await shown(page)).includes('s-207')).toBe(true);
  await page.getByRole('link', { name: 'Person person-7', exact: true }).first().focus();
  expect(await page.evaluate('document.activeElement.hash')).toBe('#/subjects/person-7');
  await page.getByLabel('Search a session or a person').fill('');

  // The page loads 100 of the 600 sessions at first.
  await expect.poll(() => page.locator('.rows li:not(.group)').count()).toBe(100);
  for (let rows = 200; rows <= 600; rows += 100) {
    await page.getByRole('button', { name: 'Show more' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.rows li:not(.group)').count()).toBe(rows);
  }
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('.rows li:not(.group)').count()).toBe(602);
  expect(await page.getByRole('button', { name: 'Show more' }).isVisible()).toBe(false);
  const others = requested.filter((it) => it !== '/v1/sessions' && it.startsWith('/v1/'));
  expect(others.sort()).toEqual(['/v1/stream']);
  expect(requested.filter((it) => it === '/v1/sessions').length).toBeLessThan(30);

  // Readings of the stream update counts, rows and the order.
  await page.getByLabel('Sort by').selectOption('activity');
  const before = await countStates(service);
  const { state } = await service.read({ session_id: 'sudden', timestamp: now(), heart_rate: 190, tone: 'hostile' });
  const name = state === 'stressed' ? 'Stressed' : 'Acute stress';
  await expect.poll(() => countOf(name).innerText()).toContain(String((before[state] ?? 0) + 1));
  await expect.poll(async () => (await shown(page))[0]).toBe('sudden');
  // The row has the cause that the service lists.
  const [listed] = (await service.request('/v1/sessions?sort=activity')).body.sessions;
  const cause = page.locator('.rows li', { hasText: 'sudden' }).locator('.cause');
  await expect.poll(() => cause.textContent()).toBe(` · ${say('en', listed.cause)}`);
  await page.locator('.rows .name').first().focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('sudden');
  expect(complaints).toEqual([]);

  // Each look fits and is accessible.
  await page.goto(`${service.url}/dashboard/#/`);
  await page.locator('.rows li:not(.group)').nth(90).waitFor();
  expect([await page.evaluate(spilledOut), await flawsInLightAndDark(page)]).toEqual([0, []]);
  await page.setViewportSize(narrow);
  await expect.poll(() => page.evaluate(spilledOut)).toBe(0);
});

/** Counts the elements of the overview and of the first rows that exceed their card or row. */
const spilledOut = `[...document.querySelectorAll('.overview :is(button, a)'), ...[...document.querySelectorAll('.rows li > *')].slice(0, 20)].filter(
  (it) => it.getBoundingClientRect().right > it.closest('.card, .rows').getBoundingClientRect().right + 1,
).length`;

test('on a desktop, 12 rows of 44 pixels are visible below a band of at most 120 pixels, and a row opens anywhere', async () => {
  const service = await startCrowd();
  const { page } = await openBrowser(service.url);
  await open(service, page);
  const heightOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.height;
  expect(await heightOf('.overview')).toBeLessThanOrEqual(120);
  expect(await heightOf('.rows li:not(.group)')).toBe(44);
  const visible = `[...document.querySelectorAll('.rows li:not(.group)')].filter((it) => it.getBoundingClientRect().bottom <= innerHeight).length`;
  expect(await page.evaluate(visible)).toBeGreaterThanOrEqual(12);
  expect(await page.locator('.columns').innerText()).toMatch(
    /Score\s+Session\s+State\s+Last reading\s+Last scores\s+Person/,
  );
  const [first = ''] = await shown(page);
  // The link of the row covers the state and the chart.
  for (const part of ['.state-name', '.sparkline']) {
    const box = await page.locator(`.rows ${part}`).first().boundingBox();
    await page.mouse.click((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
    await expect.poll(() => page.locator('h1').innerText()).toBe(first);
    await page.goBack();
    await page.locator('.overview').waitFor();
  }
});

test('the search finds sessions and people, and opens an id that the list does not show', async () => {
  const service = await startCrowd();
  const { page } = await openBrowser(service.url);
  await open(service, page);
  const search = page.getByLabel('Search a session or a person');
  await search.fill('person-17');
  const people = [17, ...Array.from({ length: 10 }, (_, index) => 170 + index)];
  const found = people.flatMap((it) => [`s-${it}`, `s-${it + 200}`, `s-${it + 400}`]);
  // Of the others, the page knows those among the 500 sessions that it has loaded.
  await expect.poll(() => shown(page)).toEqual(expect.arrayContaining(['s-17', 's-217', 's-417']));
  expect(found).toEqual(expect.arrayContaining(await shown(page)));
  expect((await shown(page)).length).toBeGreaterThan(20);
  await search.fill('nobody knows');
  await page.getByRole('link', { name: 'Open person nobody knows' }).waitFor();
  await search.press('Enter');
  await expect.poll(() => page.locator('h1').innerText()).toBe('nobody knows');
});

test('while the service is stopped, the sessions stay, a fault and the last contact are shown, and later requests succeed', async () => {
  const database = await temporaryDatabase();
  const service = await start(database, '0');
  await fill(service, 200);
  const { page } = await openBrowser(service.url);
  await open(service, page);
  await page.getByText('201 live sessions').waitFor();
  const banner = page.getByRole('alert').filter({ hasText: 'No contact' });
  expect(await banner.count()).toBe(0);
  await service.close();
  const fault = page.locator('.sessions [role=alert]');
  await page.getByLabel('Sort by').selectOption('started');
  await expect.poll(() => fault.innerText()).toContain('The service did not respond');
  await banner.waitFor();
  expect(await banner.innerText()).toMatch(/^No contact with the service since \d\d:\d\d:\d\d \(\d+ s\)\. Retrying …$/);
  expect(await barriers(page)).toEqual([]);
  await page.getByRole('button', { name: /^Relaxed/ }).click();
  await expect.poll(() => page.locator('.rows li.relaxed').count()).toBeGreaterThan(20);
  await start(database, new URL(service.url).port);
  await banner.waitFor({ state: 'hidden' });
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('button', { name: /^Relaxed/ }).click();
  await expect.poll(() => fault.allInnerTexts()).toEqual(['']);
});
