import decodeQR from 'qr/decode.js';
import type { Page } from 'playwright-core';
import { barriers, flawsInLightAndDark, openBrowser, phone } from '../../../testkit/browser.js';
import { makeAccount } from '../../../testkit/calls.js';
import { createDevice, sendBy } from '../../../testkit/devices.js';
import { metric, postByDeepLink } from '../../../testkit/phone.js';
import { startTestService, type TestService } from '../../../testkit/service.js';
import { expect, test } from '../../../testkit/test.js';

const publicUrl = 'https://state.example.com';
const person = 'p-new';
const [hourMs, shownMs] = [3_600_000, 120_000];

/** Opens the page of a person of whom nothing is stored. */
async function open({ url, key }: Pick<TestService, 'url' | 'key'>, width: { viewport?: typeof phone } = {}) {
  const { page, complaints } = await openBrowser(url, width);
  await page.clock.install();
  await page.goto(`${url}/dashboard/#key=${key}`);
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByLabel('Search, or enter a new id').fill(person);
  await page.keyboard.press('Enter');
  const card = page.getByRole('region', { name: 'Connect a phone' });
  await card.waitFor();
  return { page, card, complaints };
}

/** Reads the code on the page as the camera of a phone does it. */
async function scan(page: Page): Promise<string> {
  const size = 360;
  await page.locator('.qr').waitFor();
  const draw = `(async (code) => {
    const copy = code.cloneNode(true);
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    const image = new Image();
    image.src = 'data:image/svg+xml,' + encodeURIComponent(copy.outerHTML);
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: ${size}, height: ${size} });
    const context = canvas.getContext('2d');
    context.fillStyle = getComputedStyle(code).backgroundColor;
    context.fillRect(0, 0, ${size}, ${size});
    context.drawImage(image, 0, 0, ${size}, ${size});
    const { data } = context.getImageData(0, 0, ${size}, ${size});
    return Array.from({ length: data.length / 4 }, (_, pixel) => (data[4 * pixel] > 127 ? 1 : 0)).join('');
  })(document.querySelector('.qr'))`;
  const pixels: string = await page.evaluate(draw);
  const data = Uint8Array.from(
    [...pixels].flatMap((it) => [255 * Number(it), 255 * Number(it), 255 * Number(it), 255]),
  );
  return decodeQR({ width: size, height: size, data });
}

const rates = (atMs: number) => ({ data: { metrics: [metric('heart_rate', 'count/min', [[atMs, 72]], 'Watch 7')] } });

test('a click shows a code that sets up Health Auto Export, and the first sample turns the line green', async () => {
  const service = await startTestService({ env: { PUBLIC_URL: `${publicUrl}/` } });
  const { page, card, complaints } = await open(service);
  await page.getByText('No data about this person').waitFor();
  await card.getByRole('button', { name: 'Connect' }).click();
  await card.getByText('Waiting for the first sample').waitFor();
  const link = await scan(page);
  const { url, headers, ...rest } = Object.fromEntries(new URL(link).searchParams);
  expect(headers).toMatch(/^X-Service-Key,wk_\w{32}$/);
  expect([link.split('?')[0], url]).toEqual([
    'com.HealthExport://automation',
    `${publicUrl}/v1/sources/health_auto_export`,
  ]);
  expect(link).toContain('name=Real-time%20State&');
  expect(rest).toMatchObject({ format: 'json', metrics: expect.stringContaining('Heart Rate,') });
  expect(await card.getByRole('link', { name: 'on this iPhone' }).getAttribute('href')).toBe(link);
  expect(await flawsInLightAndDark(page)).toEqual([]);

  const old = rates(service.clock.nowMs - 30 * hourMs);
  expect(await postByDeepLink(link, old, service.url)).toMatchObject({ body: { stored: 0, skipped: { too_old: 1 } } });
  await card.getByText('The app reaches the service. Nothing of the newest post is stored.').waitFor();
  await card.locator('li').getByText('accounts set ACCOUNT keep-readings 49').waitFor();
  // The key was created in this hour, of which the service stores the start.
  const row = await card.locator('.list li').innerText();
  expect(row).toMatch(/· used in the last hour · ends \d+ [A-Z][a-z]+\n/);
  const { body } = await postByDeepLink(link, rates(service.clock.nowMs - 1_000), service.url);
  expect(body).toMatchObject({ stored: 1, skipped: {} });
  await card
    .locator('.live.connected')
    .getByText(/^Connected: Health Auto Export sends samples of Watch 7, seen at \d\d:\d\d\.$/)
    .waitFor();
  await card.getByRole('button', { name: 'Connect another app' }).waitFor();
  await page.locator('.now .score').waitFor();
  await page.getByRole('region', { name: 'All sessions' }).waitFor();

  await card.getByRole('button', { name: /^Revoke/ }).click();
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect.poll(() => card.locator('.list li').count()).toBe(0);
  expect((await postByDeepLink(link, rates(service.clock.nowMs), service.url)).status).toBe(401);
  // Of a person without data, the service has no state, topics and profile.
  expect(complaints.filter((it) => !it.endsWith('404 (Not Found)'))).toEqual([]);
});

test('a code and its key are hidden after two minutes', async () => {
  const service = await startTestService({ env: { PUBLIC_URL: publicUrl } });
  const { page, card } = await open(service);
  await page.clock.pauseAt(Date.now() + 10_000);
  await card.getByRole('button', { name: 'Connect' }).click();
  const key = await card.locator('.secret').nth(1).innerText();
  expect(key).toMatch(/^wk_\w{32}$/);
  await page.clock.runFor(shownMs - 1_000);
  expect([await page.locator('.qr').count(), (await page.content()).includes(key)]).toEqual([1, true]);
  await page.clock.runFor(1_000);
  await card.getByText('The code and the key are hidden.').waitFor();
  expect([await page.locator('.qr').count(), (await page.content()).includes(key)]).toEqual([0, false]);
});

test('other apps get a URL with the key, and the time zone of the phone where they send local times', async () => {
  const service = await startTestService({ env: { PUBLIC_URL: 'http://127.0.0.1:9' } });
  const { page, card } = await open(service, { viewport: phone });
  await card.getByText('Only this machine reaches PUBLIC_URL').waitFor();
  expect(await card.getByLabel('Time zone').isVisible()).toBe(false);
  await card.getByLabel('App').selectOption('apple_shortcuts');
  await card.getByLabel('Time zone').fill('Mars/Olympus');
  await card.getByRole('button', { name: 'Connect' }).click();
  await card.getByText('IANA time zone').waitFor();
  await card.getByLabel('Time zone').fill('Europe/Vienna');
  await card.getByRole('button', { name: 'Connect' }).click();
  const url = await card.locator('.secret').last().innerText();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:9\/v1\/sources\/apple_shortcuts\/wk_\w{32}$/);
  expect(await scan(page)).toBe(url);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect([overflow, await barriers(page)]).toEqual([0, []]);
  const text = new Date(service.clock.nowMs).toLocaleString('sv-SE', { timeZone: 'Europe/Vienna' });
  const body = JSON.stringify({ type: 'Heart Rate', dates: [text], values: ['74'] });
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(service.url + new URL(url).pathname, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ stored: 1, skipped: {} });
  await card.getByText(/^Connected: Apple Shortcuts sends samples, seen at \d\d:\d\d\.$/).waitFor();
});

test('devices and source keys of a person are one list, and a device is removed', async ({ service }) => {
  const { device_id } = await createDevice(service, { subject_id: person, name: '<i>Left</i>' });
  await createDevice(service, { subject_id: person, name: 'Right', kind: 'ring' });
  await sendBy(service, device_id);
  await service.post('/v1/source-keys', { subject_id: person, source: 'generic' });
  const { page, card } = await open(service);
  const rows = card.locator('.list li');
  await expect.poll(() => rows.count()).toBe(3);
  const texts = await rows.allInnerTexts();
  expect(texts.find((it) => it.includes('ring'))).toMatch(/^Right\s.* · no reading$/s);
  expect(texts.filter((it) => it.includes('never used'))).toHaveLength(1);
  await card.getByText(new RegExp(`^watch · ${device_id} · newest reading`)).waitFor();
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await card.getByRole('button', { name: 'Remove <i>Left</i>' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect.poll(() => rows.count()).toBe(2);
  expect((await service.request(`/v1/devices/${device_id}`)).status).toBe(404);
});

test('without PUBLIC_URL or the scope, the card says what to do', async ({ service }) => {
  const { card } = await open(service);
  await card.getByText('start the service with PUBLIC_URL').waitFor();
  expect(await card.getByRole('button', { name: 'Connect' }).isVisible()).toBe(false);
  const { key } = await makeAccount(service, 'without-sources', 'enterprise', { scopes: ['read'] });
  const other = await open({ ...service, key });
  await other.card.getByText('lacks the scope "sources"').waitFor();
  expect(await other.card.locator('.fault:not(:empty)').count()).toBe(0);
  await other.card.getByText('keys create --scopes sources').waitFor();
});

test('a link with a key opens the page behind it, and keeps no key in the address', async ({ service }) => {
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/dashboard/#key=${service.key}/subjects/${person}`);
  await page.getByRole('region', { name: 'Connect a phone' }).waitFor();
  expect(page.url()).toBe(`${service.url}/dashboard/#/subjects/${person}`);
});
