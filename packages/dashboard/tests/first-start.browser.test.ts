import { expect, test } from 'vitest';
import { openBrowser } from '../../../testkit/browser.js';
import { startMain } from '../../../testkit/process.js';
import { startReceiver } from '../../../testkit/receiver.js';
import { temporaryDatabase } from '../../../testkit/temporary-database.js';

const limitMs = 300_000;

test(
  'from the printed link of a first start: a scene moves the figure and the chart, and a failed delivery is retried',
  async () => {
    const database = await temporaryDatabase('sqlite');
    const service = await startMain({ DATABASE_URL: database.url });
    await expect.poll(service.stdout).toMatch(/\/dashboard\/#key=sk_\w+/);
    const [link = '', key = ''] = /http\S+\/dashboard\/#key=(sk_\w+)/.exec(service.stdout()) ?? [];
    const receiver = await startReceiver();
    // This response ends a delivery without retries. Those of webhooks.browser.test.ts are retried.
    receiver.answer(410);
    await fetch(`${service.url}/webhooks/register`, {
      method: 'POST',
      headers: { 'X-Service-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url, events: ['state_change'] }),
    });

    const { page, complaints } = await openBrowser(service.url);
    const requested: string[] = [];
    page.on('request', (it) => requested.push(it.url()));
    await page.goto(link);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(page.url()).toBe(`${service.url}/dashboard/`);
    expect(await page.evaluate('history.length')).toBeLessThan(3);

    await page.getByRole('link', { name: 'Try it', exact: true }).first().click();
    await page.getByRole('button', { name: 'Calm', exact: true }).click();
    const figure = page.locator('.score');
    const chart = page.getByRole('img', { name: /Stress score and heart rate/ });
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/ ([3-9]|10) readings/);
    expect(Number(await figure.innerText())).toBeLessThan(40);
    // Another scene ends the first one.
    await page.getByRole('button', { name: 'Acute stress', exact: true }).click();
    await page.getByText('Played “acute stress”').waitFor();
    await expect.poll(async () => Number(await figure.innerText())).toBeGreaterThanOrEqual(60);
    await expect.poll(() => chart.getAttribute('aria-label')).toMatch(/ [12]\d readings.* [1-9] changes? of the state/);
    expect(await chart.locator('.hold').count()).toBeGreaterThan(1);
    await expect.poll(() => chart.locator('.line-heart').count()).toBeGreaterThan(0);

    // The turns of a scene name a subject, so its topics are remembered.
    await page.locator('.triggers li').filter({ hasText: 'job loss' }).filter({ hasText: 'active' }).waitFor();
    await expect.poll(() => chart.locator('.topic span').allTextContents()).toContain('job loss');

    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    const failed = page.locator('.deliveries tr').filter({ hasText: 'failed' }).first();
    await failed.waitFor({ timeout: limitMs });
    receiver.answer(204);
    await failed.getByRole('button').click();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.locator('.panel .badge.delivered').waitFor();

    expect(requested.filter((it) => it.includes('sk_'))).toEqual([]);
    expect(service.stderr()).not.toContain(key);
    // Checked before the service ends, because Chromium then reports the broken stream.
    expect(complaints).toEqual([]);
  },
  limitMs,
);
