import contract from '../../../generated/openapi.json' with { type: 'json' };
import { barriers, openBrowser } from '../../../testkit/browser.js';
import { startTestService } from '../../../testkit/service.js';
import { expect, test } from '../../../testkit/test.js';

test('the console sends a real reading and shows the response', async ({ service }) => {
  const { page, complaints } = await openBrowser(service.url);
  await page.goto(`${service.url}/docs/reference/signals/#ingest`);
  await page.click('[data-try=ingest]');
  const dialog = page.getByRole('dialog', { name: 'Ingest signals' });
  await dialog.getByLabel('X-Service-Key').fill(service.key);
  await dialog.getByLabel('Example').selectOption({ label: 'A wearable that measures only the heart rate' });
  const body = JSON.parse(await dialog.getByLabel('Body').inputValue());
  expect(body.session_id).toMatch(/^wearable-session-\w{6}$/);
  await dialog.getByLabel('Body').fill(JSON.stringify({ ...body, session_id: 'from-the-console' }));
  await dialog.getByRole('button', { name: 'Send POST' }).click();
  await dialog.getByText('200 OK').waitFor();
  const answer = JSON.parse(await dialog.locator('[data-answer] code').innerText());
  expect(answer).toMatchObject({ session_id: 'from-the-console', hsp_version: '1.0' });
  expect(await dialog.locator('[data-outcome]').innerText()).toMatch(/\d+ ms[^]*x-request-id/);
  expect(await barriers(page, '"#try-ingest"')).toEqual([]);
  const curl = await dialog.locator('[data-curl]').innerText();
  expect(curl).toContain('from-the-console');
  expect(curl).not.toContain(service.key);
  expect(page.url()).not.toContain(service.key);
  const { body: state } = await service.request('/v1/state?session_id=from-the-console');
  expect(state.stress_score).toBe(answer.stress_score);
  expect(complaints).toEqual([]);
});

test('the first example gets the documented response, also in a later visit', async ({ service }) => {
  const { page } = await openBrowser(service.url);
  const {
    timestamp: _,
    session_id: __,
    state_since: ___,
    ...documented
  } = contract.components.examples.FirstReading.value;
  for (let visit = 0; visit < 2; visit += 1) {
    await page.goto(`${service.url}/docs/reference/signals/#ingest`);
    await page.reload();
    await page.click('[data-try=ingest]');
    await page.fill('#try-ingest [data-key]', service.key);
    await page.keyboard.press('Enter');
    const dialog = page.locator('#try-ingest');
    await dialog.getByText('200 OK').waitFor();
    expect(JSON.parse(await dialog.locator('[data-answer] code').innerText())).toMatchObject(documented);
  }
});

test('the next console of the tab has the same key, and the parameters appear in path and query', async () => {
  const service = await startTestService();
  await service.read({ session_id: 'told&kept', heart_rate: 70 });
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/docs/reference/signals/#ingest`);
  await page.click('[data-try=ingest]');
  await page.fill('#try-ingest [data-key]', service.key);
  await page.keyboard.press('Escape');
  await page.goto(`${service.url}/docs/reference/state/#getHistory`);
  await page.click('[data-try=getHistory]');
  const dialog = page.locator('#try-getHistory');
  expect(await dialog.getByLabel('X-Service-Key').inputValue()).toBe(service.key);
  await dialog.getByLabel('session_id').fill('told&kept');
  await dialog.getByLabel('minutes').fill('60');
  await page.keyboard.press('Enter');
  await dialog.getByText('200 OK').waitFor();
  expect(await dialog.locator('[data-answer]').innerText()).toContain('"minutes": 60');
});

test('without a key, the console does not send and focuses the empty field', async ({ service }) => {
  const { page } = await openBrowser(service.url);
  const sent: string[] = [];
  page.on('request', (it) => sent.push(it.url()));
  await page.goto(`${service.url}/docs/reference/signals/#ingest`);
  await page.click('[data-try=ingest]');
  const dialog = page.locator('#try-ingest');
  await dialog.getByLabel('Body').focus();
  await dialog.getByRole('button', { name: 'Send POST' }).click();
  await dialog.getByText('Enter a key').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('try-ingest-key');
  expect(await barriers(page, '"#try-ingest"')).toEqual([]);
  expect(sent.filter((it) => it.includes('/v1/'))).toEqual([]);
});

test('with a body that is not JSON, the console does not send, names the error and focuses the body', async () => {
  const service = await startTestService();
  const { page } = await openBrowser(service.url);
  const sent: string[] = [];
  page.on('request', (it) => sent.push(it.url()));
  await page.goto(`${service.url}/docs/reference/signals/#ingest`);
  await page.click('[data-try=ingest]');
  const dialog = page.locator('#try-ingest');
  await dialog.getByLabel('X-Service-Key').fill(service.key);
  await dialog.getByLabel('Body').fill('{ "session_id": ');
  await dialog.getByRole('button', { name: 'Send POST' }).click();
  await dialog.getByText('The body is not valid JSON').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('try-ingest-body');
  expect(sent.filter((it) => it.includes('/v1/'))).toEqual([]);
});

test('an error response is shown with its problem', async ({ service }) => {
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/docs/reference/webhooks/#removeWebhook`);
  await page.click('[data-try=removeWebhook]');
  const dialog = page.locator('#try-removeWebhook');
  await dialog.getByLabel('X-Service-Key').fill('sk_wrong');
  await dialog.getByRole('button', { name: 'Send DELETE' }).click();
  await dialog.getByText('401').first().waitFor();
  expect(await dialog.locator('[data-answer]').innerText()).toContain('invalid_api_key');
});

test('selecting a language by mouse or keyboard selects it for all samples', async ({ service: { url } }) => {
  const { page } = await openBrowser(url);
  await page.goto(`${url}/docs/reference/signals/`);
  await page.locator('#ingest [role=tab]').first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  const shown = () => page.locator('#ingestBatch pre:visible').first().innerText();
  expect(await shown()).toContain('httpx');
  for (const text of ['package main', '<?php', 'curl']) {
    await page.keyboard.press('ArrowRight');
    expect(await shown()).toContain(text);
  }
});
