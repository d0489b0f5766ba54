import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { onTestFinished } from 'vitest';
import { atEndOfFile } from './at-end-of-file.js';
import { chromiumPath } from './chromium.js';
import { until } from './until.js';

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
const limitMs = 120_000;
/** The text of axe. It runs in pages only. */
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Watched {
  readonly page: Page;
  /** Console errors, exceptions, failed requests and requests to other origins. Tests expect none. */
  readonly complaints: string[];
  /** Resolves when the page has received and drawn the responses to its requests, except streams. */
  readonly settled: () => Promise<void>;
}

export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };
export const narrow = { width: 320, height: 740 };

/** Opens a page without stored data. The tests of a file share a browser. The page is closed when the test ends. */
export async function openBrowser(
  origin: string,
  { args = [], ...options }: BrowserContextOptions & { readonly args?: readonly string[] } = {},
): Promise<Watched> {
  const browser = await share(args);
  const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...options });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(limitMs);
  const complaints = watch(context, origin);
  return { page: await context.newPage(), complaints, settled: followRequests(context) };
}

const shared = new Map<string, Promise<Browser>>();

/** Starts one browser per set of arguments that all tests of the test file share. */
function share(args: readonly string[]): Promise<Browser> {
  const name = args.join(' ');
  const running = shared.get(name) ?? launch(args);
  if (!shared.has(name))
    atEndOfFile(async () => {
      shared.delete(name);
      await (await running).close();
    });
  shared.set(name, running);
  return running;
}

const launch = (args: readonly string[]) =>
  chromium.launch({ executablePath: chromiumPath, headless: true, args: [...quietArgs, ...args] });

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

/** A page draws a response within this time, ms. */
const drawnMs = 250;

function followRequests(context: BrowserContext): Watched['settled'] {
  let changedMs = 0;
  const open = new Set<Request>();
  const end = (request: Request) => {
    if (open.delete(request)) changedMs = Date.now();
  };
  context.on('request', (it) => it.url().includes('/v1/stream') || open.add(it));
  context.on('requestfinished', end);
  context.on('requestfailed', end);
  return async () => {
    changedMs = Date.now();
    await until('the page has settled', () => open.size === 0 && Date.now() - changedMs > drawnMs);
  };
}

/**
 * Returns accessibility violations by rule and element (WCAG 2.1 AA and axe's best practices), of the whole page or of
 * a part of it, which is an expression of axe's context.
 */
export async function barriers(page: Page, part = 'document'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
  // Only violations, because axe would describe every element that passes.
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  return page.evaluate(`axe.run(${part}, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`);
}

/**
 * Returns what does not fit or is not accessible, on a desktop in light colors and on a narrow screen in dark ones. Layout and
 * colors do not depend on each other, so the other two pairs would find the same and double the time.
 */
export async function flawsInLightAndDark(page: Page): Promise<string[]> {
  const flaws: string[] = [];
  for (const [viewport, colorScheme] of [[desktop, 'light'] as const, [narrow, 'dark'] as const]) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    // Charts are drawn again after a change of their size.
    await page.waitForTimeout(50);
    const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    const found = [...(wide === 0 ? [] : [`${wide} px too wide`]), ...(await barriers(page))];
    flaws.push(...found.map((flaw) => `${viewport.width} px, ${colorScheme}: ${flaw}`));
  }
  await page.setViewportSize(desktop);
  return flaws;
}
