import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, type Watched } from './browser.js';
import type { TestService } from './service.js';

type Entry = Pick<TestService, 'url' | 'key'>;

/** Enters the dashboard with the key, waits for its stream, and goes to one of its pages, e.g. `sessions/s1`. */
export async function enterDashboard(page: Page, { url, key }: Entry, path = ''): Promise<void> {
  await page.goto(`${url}/dashboard/#key=${key}`);
  await page.locator('.live.connected').waitFor({ state: 'attached' });
  await page.goto(`${url}/dashboard/#/${path}`);
}

/** Opens a page of the dashboard in a new browser context. */
export async function openDashboard(entry: Entry, path = '', options: BrowserContextOptions = {}): Promise<Watched> {
  const watched = await openBrowser(entry.url, options);
  await enterDashboard(watched.page, entry, path);
  return watched;
}
