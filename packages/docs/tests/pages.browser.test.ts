import type { Page } from 'playwright-core';
import { barriers, desktop, openBrowser, phone } from '../../../testkit/browser.js';
import { startTestService } from '../../../testkit/service.js';
import { expect, test } from '../../../testkit/test.js';
import { pageAddresses } from './site.js';

const addresses = await pageAddresses();
/** Time limit, ms. The accessibility check of each page takes seconds. */
const everyPageMs = 900_000;

/** Loads the images below the visible part too, and rejects if one cannot be shown. */
const loadImages = (page: Page) =>
  page.$$eval('img', (images) =>
    Promise.all(
      images.map((image) => {
        image.loading = 'eager';
        return image.decode();
      }),
    ),
  );

/**
 * Returns the unknown kinds of elements of the page: the name of the parent, and the name, classes and role of the
 * element. The page keeps these elements as `fresh`.
 */
const findKinds = (page: Page, known: ReadonlySet<string>) =>
  page.evaluate<string[]>(`(() => {
    const known = new Set(${JSON.stringify([...known])});
    const kindOf = (it) => [it.parentElement?.localName, it.localName, it.getAttribute('class'), it.role].join(' ');
    window.fresh = [...document.querySelectorAll('*')].filter((it) => !known.has(kindOf(it)));
    return [...new Set(window.fresh.map(kindOf))];
  })()`);

const overflowOf = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

// Pages share their styles, so an accessibility check of each kind of element replaces one of each page. The same holds
// for the desktop, whose columns have only more space than those of the phone.
test(
  'every page fits on a phone and logs no error, and every kind of element fits on a desktop and is accessible, in light and dark',
  async ({ service: { url } }) => {
    const { page, complaints } = await openBrowser(url, { viewport: phone });
    const known = new Set<string>();
    let checked = 0;
    for (const address of addresses) {
      await page.goto(`${url}/docs/${address}`);
      await loadImages(page);
      expect([address, await overflowOf(page)]).toEqual([address, 0]);
      const kinds = await findKinds(page, known);
      if (kinds.length === 0) continue;
      kinds.forEach((it) => known.add(it));
      // Layout and colors do not depend on each other, so the other two pairs would find the same.
      for (const [viewport, colorScheme] of [[desktop, 'light'] as const, [phone, 'dark'] as const]) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const flaws = [await overflowOf(page), await barriers(page, '{ include: fresh }')];
        expect([address, colorScheme, ...flaws]).toEqual([address, colorScheme, 0, []]);
      }
      checked += 1;
    }
    expect(checked).toBeGreaterThan(9);
    expect(complaints).toEqual([]);
  },
  everyPageMs,
);

test.each(['light', 'dark'] as const)(
  "the color scheme is %s like the system's until switched, and the choice persists",
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

test('search finds sentiment, its field and its guide with the keyboard alone', async ({ service: { url } }) => {
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
  await page.waitForURL('**/reference/signals/#ingest-body-sentiment');
  expect(complaints).toEqual([]);
});

test('Ctrl-K and ⌘ K focus the search, also from a text field', async ({ service: { url } }) => {
  const { page } = await openBrowser(url);
  await page.goto(`${url}/docs/states/`);
  for (const shortcut of ['Control+K', 'Control+K', 'Meta+K']) {
    await page.keyboard.press(shortcut);
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
    if (shortcut === 'Control+K') continue;
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press(shortcut);
    expect(await page.evaluate('document.activeElement.name')).toBe('q');
  }
});

test('search lists operations first, matches synonyms and prefixes, and says when nothing matches', async ({
  service: { url },
}) => {
  const { page } = await openBrowser(url);
  await page.goto(`${url}/docs/`);
  const found = page.locator('#found a');
  const search = async (query: string, title: string) => {
    await page.fill('[name=q]', query);
    await found.filter({ hasText: title }).first().waitFor();
  };
  for (const [query, title] of [
    ['delete user data', 'Delete subject'],
    ['register webhook', 'Register webhook'],
    ['ingest', 'Ingest signals'],
  ] as const) {
    await search(query, title);
    expect(await found.first().innerText()).toContain(title);
  }
  for (const [query, title] of [
    ['authentication', 'contains an API key'],
    ['authen', 'contains an API key'],
    ['token', 'contains an API key'],
    ['docker', 'Containers'],
    ['gdpr', 'Delete subject'],
    ['dpia', 'impact assessment'],
    ['privacy', 'Privacy'],
    ['environment', 'Configuration'],
  ] as const)
    await search(query, title);
  await page.fill('[name=q]', 'xylophone');
  await page.getByText('No results for “xylophone”').waitFor();
});

test('navigation titles fit on one line, and code blocks in guides wrap', async ({ service: { url } }) => {
  const { page } = await openBrowser(url);
  for (const viewport of [desktop, phone]) {
    await page.setViewportSize(viewport);
    await page.goto(`${url}/docs/reference/`);
    if (viewport === phone) await page.click('[data-menu]');
    const entries = await page.$$eval('.side a', (links) =>
      links.map((it) => {
        const title = it.querySelector('span') ?? it;
        return { text: title.textContent, lines: it.clientHeight / 30, isCut: title.scrollWidth > title.clientWidth };
      }),
    );
    expect(entries.length).toBeGreaterThan(25);
    expect(entries.filter(({ lines, isCut }) => lines >= 2 || isCut)).toEqual([]);
  }
  for (const guide of ['getting-started', 'webhooks', 'errors', 'limits', 'operations']) {
    await page.goto(`${url}/docs/${guide}/`);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      const wide = await page.$$eval('pre', (blocks) =>
        blocks.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent),
      );
      expect(wide).toEqual([]);
    }
  }
});

test("the last segment of an error's type is the anchor of its cause and fix", async ({ service }) => {
  const { body } = await service.request('/v1/state?session_id=nobody');
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/docs/errors/#${String(body.type).split(':').at(-1)}`);
  const heading = page.locator('h3', { hasText: 'session_not_found' });
  await expect.poll(() => heading.evaluate((it) => it.getBoundingClientRect().top)).toBeLessThan(200);
  expect(await page.locator('h3:has-text("session_not_found") + p + p').innerText()).toMatch(/^Treat a 404 /);
});

test('on a phone, a button opens the list of pages', async ({ service: { url } }) => {
  const { page } = await openBrowser(url, { viewport: phone });
  await page.goto(`${url}/docs/reference/`);
  expect(await page.isVisible('.side')).toBe(false);
  await page.click('[data-menu]');
  await page.click('.side a[href$="#getHistory"]');
  expect(await page.isVisible('.side')).toBe(false);
  await page.waitForURL('**/reference/state/#getHistory');
});

test('without JavaScript every page is readable, including samples in every language', async ({ service: { url } }) => {
  const { page } = await openBrowser(url, { javaScriptEnabled: false });
  await page.goto(`${url}/docs/reference/signals/#ingest`);
  for (const text of ['datetime.now(timezone.utc)', 'new Date().toISOString()', '$(date -u', 'time.Now()', 'gmdate('])
    expect(await page.locator('#ingest').getByText(text).first().isVisible()).toBe(true);
  expect(await page.isVisible('.side')).toBe(true);
});
