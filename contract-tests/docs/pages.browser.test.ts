import { expect, test } from 'vitest';
import { barriers, desktop, openBrowser, phone } from '../support/browser.js';
import { startTestService } from '../support/service.js';
import { pageAddresses } from './site.js';

const addresses = await pageAddresses();
/** Judging a page takes seconds. */
const everyPageMs = 240_000;

test.each([
  { width: 'a desktop', viewport: desktop, colorScheme: 'light' },
  { width: 'a phone', viewport: phone, colorScheme: 'dark' },
] as const)(
  'on $width, $colorScheme, every page is quiet, fits, and is accessible',
  async ({ viewport, colorScheme }) => {
    const { url } = await startTestService();
    const { page, complaints } = await openBrowser(url, { viewport, colorScheme });
    for (const address of addresses) {
      await page.goto(`${url}/docs/${address}`);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([address, overflow]).toEqual([address, 0]);
      expect([address, await barriers(page)]).toEqual([address, []]);
    }
    expect(addresses.length).toBeGreaterThan(9);
    expect(complaints).toEqual([]);
  },
  everyPageMs,
);

test.each(['light', 'dark'] as const)(
  'the colours are %s where the system is, until switched, and stay switched',
  async (colorScheme) => {
    const { url } = await startTestService();
    const { page, complaints } = await openBrowser(url, { colorScheme });
    await page.goto(`${url}/docs/`);
    const isDark = async () => {
      const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      return Number(/\d+/.exec(ground)?.[0]) < 128;
    };
    expect(await isDark()).toBe(colorScheme === 'dark');
    await page.click('[data-theme-toggle]');
    expect(await isDark()).toBe(colorScheme !== 'dark');
    await page.goto(`${url}/docs/reference/`);
    expect(await isDark()).toBe(colorScheme !== 'dark');
    expect(complaints).toEqual([]);
  },
);

test('search finds sentiment, the field and the guide, with the keyboard alone', async () => {
  const { url } = await startTestService();
  const { page, complaints } = await openBrowser(url);
  await page.goto(`${url}/docs/errors/`);
  await page.keyboard.press('/');
  await page.keyboard.type('sentiment');
  await page.waitForSelector('#found a');
  const found = await page.locator('#found a').allInnerTexts();
  expect(found[0]).toMatch(/^sentiment\s+POST \/v1\/ingest/);
  expect(found.some((it) => it.includes('Tone, expression and sentiment'))).toBe(true);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/reference/#ingest-body-sentiment');
  expect(complaints).toEqual([]);
});

test('a phone has the list of pages behind a button', async () => {
  const { url } = await startTestService();
  const { page } = await openBrowser(url, { viewport: phone });
  await page.goto(`${url}/docs/reference/`);
  expect(await page.isVisible('.side')).toBe(false);
  await page.click('[data-menu]');
  await page.click('.side a[href$="#getHistory"]');
  expect(await page.isVisible('.side')).toBe(false);
  await page.waitForURL('**/reference/#getHistory');
});

test('without scripts every page can be read, samples of every language included', async () => {
  const { url } = await startTestService();
  const { page } = await openBrowser(url, { javaScriptEnabled: false });
  await page.goto(`${url}/docs/reference/#ingest`);
  for (const text of ['datetime.now(timezone.utc)', 'new Date().toISOString()', '$(date -u'])
    expect(await page.locator('#ingest').getByText(text).first().isVisible()).toBe(true);
  expect(await page.isVisible('.side')).toBe(true);
});
