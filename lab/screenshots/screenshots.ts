/**
 * Draws docs/images/dashboard-*.png: starts the service in this process on a temporary database, sends a week and
 * fifteen minutes of readings and some deliveries, and takes screenshots of the dashboard in Chromium. Takes about a minute.
 * Draws the icons of the page of a person, too.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { pino } from 'pino';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { createStateClient } from '../../packages/client/src/index.js';
import { chromiumPath } from '../../testkit/chromium.js';
import { dayMs, sendWeek, weekEnv } from '../../testkit/week.js';
import { iconSizes } from '../../packages/person/icon-sizes.js';
import { startService } from '../../src/serve/compose.js';
import { readConfig } from '../../src/config/config.js';
import { startCore } from '../../src/serve/core.js';
import { sendExample, sendReports, shownSession } from './example-data.js';

new Command('screenshots').description('Draws docs/images and the icons of the page of a person.').parse();
const root = new URL('../../', import.meta.url);
const desktop = { width: 1280, height: 1000 };
const phone = { width: 375, height: 812 };
/** The reports of the person take less than this time. */
const reportsMs = 3_600_000;
const shownPerson = 'p-7f3a';
const shots = [
  { name: 'home', fragment: '#/', viewport: { ...desktop, height: 760 }, colorScheme: 'light' },
  { name: 'session', fragment: `#/sessions/${shownSession}`, viewport: desktop, colorScheme: 'light' },
  { name: 'session-dark', fragment: `#/sessions/${shownSession}`, viewport: desktop, colorScheme: 'dark' },
  { name: 'phone', fragment: `#/sessions/${shownSession}`, viewport: phone, colorScheme: 'light' },
  { name: 'phone-dark', fragment: '#/', viewport: phone, colorScheme: 'dark' },
  {
    name: 'person',
    fragment: `#/subjects/${shownPerson}`,
    viewport: { ...desktop, height: 1200 },
    colorScheme: 'light',
  },
  { name: 'person-dark', fragment: `#/subjects/${shownPerson}`, viewport: phone, colorScheme: 'dark' },
  {
    name: 'agreement',
    fragment: `#/subjects/${shownPerson}`,
    viewport: desktop,
    colorScheme: 'light',
    part: '.feedback',
  },
  { name: 'webhooks', fragment: '#/webhooks', viewport: desktop, colorScheme: 'light', opened: '.deliveries .name' },
  { name: 'webhooks-dark', fragment: '#/webhooks', viewport: phone, colorScheme: 'dark' },
] as const;

const folder = await mkdtemp(join(tmpdir(), 'state-screenshots-'));
const receivers = [204, 503].map((status) =>
  createServer(
    (request, response) =>
      void request
        .resume()
        .on('end', () => response.writeHead(status).end(status === 503 ? 'database in maintenance' : '')),
  ),
);
try {
  await Promise.all(receivers.map((it) => new Promise<void>((ready) => it.listen(0, '127.0.0.1', ready))));
  await photograph(receivers.map((it) => `http://127.0.0.1:${(it.address() as AddressInfo).port}/hooks`));
} finally {
  for (const receiver of receivers) receiver.close();
  await rm(folder, { recursive: true, force: true });
}

async function photograph(hooks: readonly string[]): Promise<void> {
  // A person's week is sent as it happens, which moves the clock to the present.
  let behindMs = 8 * dayMs;
  const now = () => Date.now() - behindMs;
  const service = await startService({
    config: settings(),
    root,
    startCore,
    log: pino({ level: 'silent' }),
    now,
    databaseNow: now,
  });
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const key = service.developmentKey?.key ?? '';
    const setNow = (nowMs: number) => (behindMs = Date.now() - nowMs);
    await sendWeek({ url: service.url, key, setNow }, shownPerson, Date.now() - reportsMs);
    const client = createStateClient({ baseUrl: service.url, key });
    await sendReports(client, shownPerson, () => (behindMs -= 60_000));
    behindMs = 0;
    await sendExample(client, hooks);
    for (const shot of shots) await take(browser, `${service.url}/dashboard/`, key, shot);
    await takePhone(browser, service.url, key);
    await takeIcons(browser);
  } finally {
    await browser.close();
    await service.close();
  }
}

function settings() {
  return readConfig({
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    MAX_TIMESTAMP_AGE_SECONDS: '3600',
    LIMIT_SESSION_REQUESTS_PER_MINUTE: '0',
    WEBHOOK_KEEP_ANSWERS: '1',
    PUBLIC_URL: 'https://state.example.com',
    ...weekEnv,
    LOG_LEVEL: 'silent',
  });
}

async function take(browser: Browser, url: string, key: string, shot: (typeof shots)[number]) {
  const { name, fragment, opened, part, ...look } = { opened: undefined, part: undefined, ...shot };
  const page = await open(browser, url, key, fragment, look);
  if (opened !== undefined) await page.locator(opened).first().click();
  await save(part === undefined ? page : page.locator(part), name);
  await page.close();
}

/** Takes the code that connects a phone, and the line after its first sample. */
async function takePhone(browser: Browser, url: string, key: string) {
  const page = await open(browser, `${url}/dashboard/`, key, `#/subjects/${shownPerson}`, { viewport: desktop });
  const card = page.getByRole('region', { name: 'Connect a phone' });
  await card.getByRole('button', { name: 'Connect', exact: true }).click();
  await card.locator('.qr').waitFor();
  await save(card, 'connect');
  const date = new Date().toISOString();
  const data = [{ date, Min: 68, Avg: 68, Max: 68, source: 'Apple Watch' }];
  await fetch(`${url}/v1/sources/health_auto_export`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Service-Key': await card.locator('.secret').nth(1).innerText() },
    body: JSON.stringify({ data: { metrics: [{ name: 'heart_rate', units: 'count/min', data }] } }),
  });
  const line = card.locator('.live.connected');
  await line.waitFor();
  await save(line, 'connected');
  await page.close();
}

/** Draws the icons that phones require as PNG. They have no round corners: a phone cuts them itself. */
async function takeIcons(browser: Browser) {
  const drawn = await readFile(new URL('packages/docs/style/icon.svg', root), 'utf8');
  for (const size of iconSizes) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${drawn.replace('rx="9"', '')}`);
    const path = `packages/person/style/icon-${size}.png`;
    await page.screenshot({ path: fileURLToPath(new URL(path, root)) });
    await page.close();
    console.log(path);
  }
}

async function open(browser: Browser, url: string, key: string, fragment: string, look: BrowserContextOptions) {
  const page = await browser.newPage({ ...look, deviceScaleFactor: 1, reducedMotion: 'reduce' });
  await page.goto(`${url}#key=${key}`);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.goto(`${url}${fragment}`);
  await page.waitForTimeout(1_500);
  return page;
}

async function save(shown: Page | Locator, name: string) {
  const path = `docs/images/dashboard-${name}.png`;
  await shown.screenshot({ path: fileURLToPath(new URL(path, root)) });
  console.log(path);
}
