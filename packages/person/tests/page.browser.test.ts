import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { personLinks } from '../../../generated/spec.js';
import type { Schema } from '../../../src/contract/contract.js';
import { flawsInLightAndDark, narrow, openBrowser, phone } from '../../../testkit/browser.js';
import { allow, setUp } from '../../../testkit/consents.js';
import { createDevice, sendBy } from '../../../testkit/devices.js';
import { headlineMax } from '../../sentence/headline.js';
import { createLink } from '../../../testkit/person-link.js';
import { freePorts } from '../../../testkit/program.js';
import { realTime, root, shareTestService, type TestService } from '../../../testkit/service.js';

const allGrants = Object.keys(personLinks.grants) as Array<Schema<'LinkGrant'>>;

/** Starts the service at an address that PUBLIC_URL states. */
async function share() {
  const [port] = await freePorts(1);
  const env = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
  return shareTestService({ env, clock: realTime() });
}

let shared: ReturnType<typeof share> | undefined;

/** Returns the shared service with a new account, and data of a person. */
async function start(subjectId = 'anna'): Promise<TestService> {
  shared ??= share();
  const service = await setUp(await (await shared)(), { consent: 'record' });
  const text = { user_message: 'My debts keep growing.', ai_response: 'I am listening.' };
  const reading = { session_id: 'chat', subject_id: subjectId, tone: 'calm', ...text } as const;
  await service.read({ ...reading, timestamp: new Date().toISOString() });
  return service;
}

/** Opens a link in a new browser, with a tap. */
async function openPage(service: TestService, request: Schema<'LinkRequest'>, options = {}, subjectId = 'anna') {
  const { url } = await createLink(service, request, subjectId);
  const { page, complaints } = await openBrowser(service.url, { viewport: phone, locale: 'en-GB', ...options });
  await page.goto(url);
  page.setDefaultTimeout(30_000);
  const open = page.getByRole('button', { name: /^(Open|Öffnen)$/ });
  await open.waitFor();
  return { page, url, open, complaints: () => complaints.filter((it) => !/404|401/.test(it)) };
}

const region = (page: Page, name: string | RegExp) => page.getByRole('region', { name });

test('a link opens with a tap, once, and then works in this browser without it', async () => {
  const service = await start();
  const { page, url, open, complaints } = await openPage(service, {});
  const links = async () => (await service.request('/v1/subjects/anna/links')).body.links;
  expect((await links())[0].opened_at).toBe(null);
  const sees = () => region(page, 'Now').locator('.sentence', { hasText: /^(Calm|Relaxed) / });
  await open.click();
  await sees().waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('My state');
  expect(page.url()).toBe(`${service.url}/person/`);
  expect((await links())[0].opened_at).toEqual(expect.any(String));
  await page.reload();
  await sees().waitFor();
  const [cookie, ...more] = await page.context().cookies(`${service.url}/person/api/`);
  expect(cookie).toMatchObject({ name: '__Secure-person', path: '/person/api/' });
  expect(more).toEqual([]);
  expect(await page.context().cookies(`${service.url}/v1/state`)).toEqual([]);
  expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
  const second = await openBrowser(service.url);
  await second.page.goto(url);
  await second.page.getByRole('button', { name: 'Open' }).click();
  await second.page.getByText('was opened before').waitFor();
  expect(await second.page.content()).not.toMatch(/Calm|Relaxed/);
  await service.request(`/v1/subjects/anna/links/${(await links())[0].id}`, { method: 'DELETE' });
  await vi.waitFor(async () => {
    await page.reload();
    await page.getByRole('heading', { name: 'No open link' }).waitFor({ timeout: 1_000 });
  }, 60_000);
  expect(complaints()).toEqual([]);
});

test('the page shows only what the grants allow', async () => {
  const service = await start();
  const cards = async (grants: Array<Schema<'LinkGrant'>>) => {
    const { page, open } = await openPage(service, { grants });
    await open.click();
    await page.getByText(/This page works until/).waitFor();
    return page.getByRole('heading', { level: 2 }).allTextContents();
  };
  const read = ['Now', 'The week', 'Topics', 'What is collected', 'Who read it', 'Your data'];
  expect(await cards(['read'])).toEqual(read);
  expect(await cards(['feedback'])).toEqual(['How stressed are you?']);
  expect(await cards(['correct', 'connect'])).toEqual(['Connect a phone', 'Upload a file']);
  const all = read.toSpliced(1, 0, 'How stressed are you?').toSpliced(-1, 0, 'Connect a phone', 'Upload a file');
  expect(await cards(allGrants)).toEqual(all);
});

test('a person reports, corrects, connects, uploads, withdraws and erases', async () => {
  const service = await start();
  await allow(service, 'anna', ['movement'], { event_time: new Date().toISOString() });
  await service.post('/v1/source-keys', { subject_id: 'anna', source: 'generic' });
  const { body: made } = await service.post('/v1/source-keys', { subject_id: 'anna', source: 'apple_shortcuts' });
  await fetch(`${service.url}/v1/sources/apple_shortcuts/${made.key}`, {
    ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
    body: JSON.stringify({ type: 'Heart Rate', dates: [new Date().toISOString()], values: ['74'] }),
  });
  await createDevice(service, { name: 'Left' });
  const { device_id } = await createDevice(service, { name: '<b>Right</b>' });
  await sendBy(service, device_id, { timestamp: new Date().toISOString() });
  const { page, open, complaints } = await openPage(service, { grants: allGrants });
  // The clock of the phone is five minutes ahead.
  await page.clock.setFixedTime(Date.now() + 300_000);
  await open.click();
  await region(page, 'What is collected').getByText('You allow: movement').waitFor();
  const listed = await region(page, 'What is collected').getByRole('listitem').allTextContents();
  for (const expected of [
    /^Sends data: <b>Right<\/b>, last \d/,
    /^Connected, .* yet: Left$/,
    /^Connected, .* yet: Other apps$/,
    // The service stores the hour of the last use.
    /^Sends data: Apple Shortcuts, last .*\d\d:00\s?–.*\d\d:00$/,
  ])
    expect(listed).toContainEqual(expect.stringMatching(expected));
  await page.getByRole('button', { name: 'Very' }).click();
  await page.getByText('Saved: Very.').waitFor();
  expect((await service.request('/v1/feedback?subject_id=anna')).body.feedback).toMatchObject([{ stress: 7 }]);
  await region(page, 'Topics').getByText('Debt').waitFor();
  await page.getByLabel('This is wrong: Debt').click();
  await page.getByText('It appears again if you talk about it again.').waitFor();
  expect(Object.keys((await service.request('/v1/triggers?subject_id=anna')).body.triggers)).toEqual(['debt']);
  await page.getByRole('button', { name: 'Yes, remove: Debt' }).click();
  await page.getByText('Removed: Debt.').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Topics');
  await page.getByText('No topic was recognized.').waitFor();
  await expect.poll(() => region(page, 'Now').textContent()).not.toContain('the talk about');
  await region(page, 'Connect a phone').getByRole('button', { name: 'Connect' }).click();
  await page.getByText(/^wk_/).waitFor();
  expect((await service.request('/v1/source-keys?subject_id=anna')).body.source_keys).toHaveLength(3);
  const rows = [48, 2].map((hours) => `${new Date(Date.now() - hours * 3_600_000).toISOString()},72\n`);
  const buffer = Buffer.from(`timestamp,heart_rate\n${rows.join('')}`);
  await page.getByLabel('Files').setInputFiles([{ name: 'day.csv', mimeType: 'text/csv', buffer }]);
  await page.getByText('Stored: 1. Already there: 0. Refused: 0. Older than the service stores: 1.').waitFor();
  await region(page, 'Who read it').waitFor();
  await page.getByText('Withdraw consent', { exact: true }).click();
  await page.getByRole('button', { name: 'Yes, withdraw' }).click();
  await region(page, 'What is collected').getByText('You allow nothing').waitFor();
  expect((await service.request('/v1/subjects/anna/consent')).body.categories).toEqual([]);
  await page.getByText('Erase everything', { exact: true }).click();
  await page.getByRole('button', { name: 'Yes, erase everything' }).click();
  await page.getByText('Everything about you is erased.').waitFor();
  expect((await service.request('/v1/subjects/anna')).status).toBe(404);
  expect(complaints()).toEqual([]);
});

test('a person disputes what was measured, sees it scored again, and undoes it', async () => {
  const service = await start();
  await allow(service, 'anna', ['movement'], { event_time: new Date().toISOString() });
  const { page, open, complaints } = await openPage(service, { grants: ['read', 'dispute'] });
  await open.click();
  const now = region(page, 'Now');
  await now.locator('.sentence', { hasText: /^(Calm|Relaxed) / }).waitFor();
  await page.getByText('That is not right', { exact: true }).click();
  const state = (name: string) => page.getByRole('button', { name, exact: true }).click();
  await page.getByLabel('From').fill('2020-01-01T00:00');
  await state('I did not wear it');
  await now.getByText('The time must be past, at most 6 hours long').waitFor();
  await page.getByLabel('From').fill(await page.evaluate<string>(hourAgo));
  await state('That was somebody else');
  await now
    .getByText(
      /^Saved: That was somebody else\. Measurements scored again: 1\. Average before \d+ of 100, now unknown\.$/,
    )
    .waitFor();
  await now.locator('.sentence', { hasText: /^You said: that is not right/ }).waitFor();
  const history = async () => (await service.request('/v1/history?subject_id=anna')).body.datapoints;
  expect(await history()).toMatchObject([{ confidence: 0, scored_before: expect.any(Number) }]);
  await page.getByRole('button', { name: /^Undo: That was somebody else, / }).click();
  await now.getByText('Undone.').waitFor();
  await now.locator('.sentence', { hasText: /^(Calm|Relaxed) / }).waitFor();
  expect((await history())[0]).not.toHaveProperty('scored_before');
  expect(complaints()).toEqual([expect.stringContaining('400')]);
});

/** The value of a field for a local time. */
const hourAgo = `new Date(Date.now() - 3_600_000 - new Date().getTimezoneOffset() * 60_000).toISOString().slice(0, 16)`;

test('the page counts measurements, offers no withdrawal of nothing, and tells who reads all people apart', async () => {
  const service = await start();
  const all = () => service.request('/v1/sessions');
  for (const minute of [1, 2, 3])
    await service.read({
      ...{ session_id: 'chat', subject_id: 'anna', heart_rate: 60 + minute },
      timestamp: new Date(Date.now() - minute * 1_000).toISOString(),
    });
  await all();
  await service.request('/v1/state?subject_id=anna');
  const { page, open } = await openPage(service, { grants: allGrants });
  // A program that exported all people on the day before the first reading.
  const early = { minute: new Date(Date.now() - 86_400_000), action: 'export', credential: 'key', scope: 'account' };
  await page.route(/\/accesses(\?|$)/, async (route) => {
    const response = await route.fetch();
    const { accesses, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, accesses: [...accesses, early] } });
  });
  await open.click();
  const collected = region(page, 'What is collected');
  await collected.getByText('Measurements: 4', { exact: true }).waitFor();
  await collected.getByText(/^First measured: /).waitFor();
  await collected.getByText('Conversations and series of measurements: 1', { exact: true }).waitFor();
  const readers = region(page, 'Who read it');
  await readers.getByText(/^Those who gave you the link: read – \d+ or more times/).waitFor();
  await readers.getByText(/^Those who gave you the link, in lists of all people: read – \d+ or more times/).waitFor();
  expect(await readers.textContent()).not.toContain('exported');
  await page.getByText('Erase everything', { exact: true }).waitFor();
  expect(await page.getByText('Withdraw consent', { exact: true }).isVisible()).toBe(false);
});

test('the page is in German for a German browser, and every topic and text is', async () => {
  const service = await start();
  const { page, open } = await openPage(service, { grants: allGrants }, { locale: 'de-DE' });
  await open.click();
  await region(page, 'Jetzt')
    .locator('.sentence', { hasText: /^(Ruhig|Entspannt) .*\. Du musst nichts tun\.$/ })
    .waitFor();
  await page.getByText('Warum?', { exact: true }).click();
  const guide = region(page, 'Jetzt').getByRole('link', { name: /^Warum das falsch sein kann/ });
  const { status, url } = await fetch(new URL((await guide.getAttribute('href')) ?? '', page.url()));
  expect([status, new URL(url).pathname]).toEqual([200, '/docs/not-stressed/']);
  await page.getByRole('button', { name: /^Stimme [+−]\d+$/ }).click();
  await region(page, 'Jetzt')
    .getByText(/^Ohne deine Stimme: (\d+, (ruhig|entspannt)|unbekannt)$/)
    .waitFor();
  // First lines of the greatest length, in the widest font of the system.
  for (const text of [
    'Gestresst seit 12 min: Puls 24 über dem Üblichen. Rate zu einer Pause.',
    'Zustand unbekannt: in den Worten fällt nichts auf. Miss auch den Puls.',
  ]) {
    expect(text.length).toBe(headlineMax);
    await page.locator('.sentence').evaluate((it, shown) => (it.textContent = shown), text);
    const lines = `(({ height }, { lineHeight }) => height / parseFloat(lineHeight))(document.querySelector('.sentence').getBoundingClientRect(), getComputedStyle(document.querySelector('.sentence')))`;
    expect(Math.round(await page.evaluate<number>(lines))).toBeLessThanOrEqual(2);
  }
  await page.getByLabel('Das stimmt nicht: Schulden').click();
  await page.getByRole('button', { name: 'Ja, entfernen: Schulden' }).waitFor();
  const legend = region(page, 'Die Woche').locator('.legend li');
  await legend.first().waitFor();
  const names = ['Anteil der Zustände am Tag:', 'Ruhig', 'Entspannt', 'Konzentriert', 'Gestresst', 'Akuter Stress'];
  expect(await legend.allInnerTexts()).toEqual(names);
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  expect(await page.getByRole('main').innerText()).not.toMatch(/\b(the|your|you|this|read)\b/i);
});

test.each([
  {
    ...{ locale: 'en-GB', button: 'Download your data (CSV)', separator: ',', number: '-0.5' },
    head: /^\ufeffKind,Time \(UTC\),Until,State,Stress score,Confidence,Reported stress,Note,Topics,Status,Event,Heart/,
    kinds: ['Reading', 'Reading', 'Reading', 'Report', 'Topic', 'Fact'],
    cells: ['Worry', 'Debt', 'Rest'],
  },
  {
    ...{ locale: 'de-DE', button: 'Daten herunterladen (CSV)', separator: ';', number: '-0,5' },
    head: /^\ufeffArt;Zeit \(UTC\);Bis;Zustand;"Stress, berechnet \(0–100\)";Sicherheit \(0–1\);"Stress, angegeben \(0–10\)";/,
    kinds: ['Messung', 'Messung', 'Messung', 'Angabe', 'Thema', 'Ereignis'],
    cells: ['Sorge', 'Schulden', 'Ruhe'],
  },
])('a person downloads readings, reports, topics and facts as one table: $locale', async (expected) => {
  const service = await start();
  const { locale, button, separator, number, head, kinds, cells } = expected;
  const [to, from] = [0, 3_600_000].map((ms) => new Date(Date.now() - ms).toISOString());
  const own = { subject_id: 'anna', timestamp: to };
  await service.read({ session_id: '=1+1', ...own, sentiment: -0.5, source_device: '@wrist; "left"' } as never);
  await service.read({ session_id: 'watch', ...own, heart_rate: 71.5 } as never);
  await service.post('/v1/feedback', { ...own, duration_seconds: 3_600, stress: 7, note_code: 'worry' });
  const fact = JSON.stringify({ subject_id: 'anna', kind: 'rest', start: from, end: to });
  const headers = { 'Content-Type': 'application/json' };
  await service.request('/v1/facts/rest-1', { method: 'PUT', headers, body: fact });
  const { page, open, complaints } = await openPage(service, {}, { locale, timezoneId: 'UTC' });
  await open.click();
  const downloaded = page.waitForEvent('download');
  await page.getByRole('button', { name: button }).click();
  const [header = '', ...rows] = readFileSync(await (await downloaded).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  await page.getByText(/ 6 (rows|Zeilen)\.$/).waitFor();
  expect(header).toMatch(head);
  expect(locale === 'de-DE' && /\b(heart|tone|until|reading|minute)\b/i.test(header)).toBe(false);
  expect(rows.map((it) => it.split(separator)[0])).toEqual(kinds);
  // Texts that spreadsheets would run or split, and numbers.
  for (const text of [`${separator}'=1+1${separator}`, `"'@wrist; ""left"""`, number]) expect(rows[0]).toContain(text);
  for (const [index, text] of cells.entries()) expect(rows[index + 3]).toContain(separator + text + separator);
  const times = [from, to].map((it = '') => it.slice(0, 19).replace('T', ' '));
  for (const row of [rows[3], rows[5]]) expect(row?.split(separator).slice(1, 3)).toEqual(times);
  expect(complaints()).toEqual([]);
});

test('every part is accessible and fits 390 and 320 px in both themes, also with an id of 256 characters', async () => {
  const id = 'a'.repeat(256);
  const service = await start(id);
  await allow(service, id, ['movement'], { event_time: new Date().toISOString() });
  const { page, open, complaints } = await openPage(service, { grants: allGrants }, {}, id);
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await open.click();
  await region(page, 'Topics').getByText('Debt').waitFor();
  await page.getByLabel('This is wrong: Debt').click();
  for (const summary of ['That is not right', 'Withdraw consent', 'Erase everything'])
    await page.getByText(summary, { exact: true }).click();
  expect(await flawsInLightAndDark(page)).toEqual([]);
  for (const viewport of [phone, narrow]) {
    await page.setViewportSize(viewport);
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  }
  expect(complaints()).toEqual([]);
});

test('a phone can install the page', async () => {
  const service = await start();
  const manifest = await fetch(`${service.url}/person/manifest.webmanifest`);
  expect(manifest.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
  const { start_url, scope, display, icons } = (await manifest.json()) as Record<string, string & [{ src: string }]>;
  expect({ start_url, scope, display }).toEqual({ start_url: './', scope: './', display: 'standalone' });
  for (const { src } of icons ?? []) expect((await fetch(`${service.url}/person/${src}`)).status).toBe(200);
  expect(readFileSync(new URL('dist/person/index.html', root), 'utf8')).toContain('manifest.webmanifest');
});
