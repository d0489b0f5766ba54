import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import axe from 'axe-core';
import { onTestFinished } from 'vitest';
import { chromiumPath } from './chromium.js';

/** Options that prevent the browser's own requests. */
const quietArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const limitMs = 30_000;

export interface Watched {
  readonly page: Page;
  /** Console errors, exceptions, failed requests and requests to other origins. Tests expect none. */
  readonly complaints: string[];
}

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

/** Opens a page in a new browser with a new profile. Both are closed when the test ends. */
export async function openBrowser(
  origin: string,
  { args = [], ...options }: BrowserContextOptions & { readonly args?: readonly string[] } = {},
): Promise<Watched> {
  const profile = await mkdtemp(join(tmpdir(), 'state-service-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath,
    headless: true,
    args: [...quietArgs, ...args],
    viewport: desktop,
    reducedMotion: 'reduce',
    ...options,
  });
  onTestFinished(async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  context.setDefaultTimeout(limitMs);
  const complaints = watch(context, origin);
  return { page: context.pages()[0] ?? (await context.newPage()), complaints };
}

function watch(context: BrowserContext, origin: string): string[] {
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (error) => complaints.push(`exception: ${error.error().message}`));
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // The browser itself aborts what a page is still loading when the next page opens.
    if (reason !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()} (${reason ?? 'unknown'})`);
  });
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`foreign: ${request.url()}`);
  });
  return complaints;
}

/** Returns accessibility violations by rule and element (WCAG 2.1 AA and axe's best practices). */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const rules = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(rules)})`)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
