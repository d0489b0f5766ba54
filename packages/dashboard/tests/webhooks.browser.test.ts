import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { createRule, evaluateNow, stress } from '../../../testkit/alerts.js';
import { flawsInLightAndDark } from '../../../testkit/browser.js';
import { startReceiver } from '../../../testkit/receiver.js';
import { startTestService } from '../../../testkit/service.js';
import { storyEnv } from '../../../testkit/story.js';
import { expect, test } from '../../../testkit/test.js';
import { deliveriesOf, register, startStory, storeDue, storeFailed } from '../../../testkit/webhooks.js';
import { until } from '../../../testkit/until.js';
import { receiver } from '../browser/webhooks/receiver.js';
import { openDashboard } from '../../../testkit/dashboard.js';

const env = { ...storyEnv, WORKER: '1', WEBHOOK_KEEP_ANSWERS: '1' };

/** Presses the button with the keyboard. */
async function press(page: Page, name: string | RegExp) {
  await page.getByRole('button', { name }).first().focus();
  await page.keyboard.press('Enter');
}

/** Counts the lines of the payload that do not fit. */
const wrappedLines = `(() => {
  const payload = document.querySelector('.panel pre');
  const range = new Range();
  range.selectNodeContents(payload);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size - payload.textContent.split('\\n').length;
})()`;

const focused = (page: Page) => page.evaluate('document.activeElement.textContent || document.activeElement.id');

test('a webhook is registered, tested, fails, is retried in order, rotated and removed with the keyboard', async () => {
  const service = await startTestService({ env });
  const receiver = await startReceiver();
  const { page, complaints, settled } = await openDashboard(service, 'webhooks', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.getByText('No webhooks yet').waitFor();

  // The address of the metadata service of clouds is refused.
  await press(page, 'Register a webhook');
  await page.keyboard.type('http://169.254.169.254/');
  await page.keyboard.press('Enter');
  await page.locator('#webhook-url-fault:not(:empty)').waitFor();
  const url = page.getByLabel('URL of your receiver');
  expect([await url.getAttribute('aria-invalid'), await focused(page)]).toEqual(['true', 'webhook-url']);
  await url.fill(receiver.url);
  await page.getByLabel('Session (optional)').fill('no session');
  await page.keyboard.press('Enter');
  await page.locator('#webhook-session-fault:not(:empty)').waitFor();
  expect(await page.locator('#webhook-url-fault').innerText()).toBe('');
  await page.getByLabel('Session (optional)').fill('');
  await page.keyboard.press('Enter');

  const secret = await page.locator('.secret').innerText();
  for (let times = 0; times < 2; times += 1) await page.keyboard.press('Escape');
  await press(page, 'Copy');
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await press(page, 'Done');
  await expect.poll(() => page.locator('dialog').count()).toBe(0);
  expect([await page.content().then((it) => it.includes(secret)), await focused(page)]).toEqual([false, 'Webhooks']);

  await press(page, 'Send test');
  await page.getByText(/^Test delivered in \d+ ms\.$/).waitFor();
  const [sample] = await receiver.until(1);
  expect(() => new Webhook(secret).verify(String(sample?.bytes), sample?.headers as never)).not.toThrow();

  receiver.answer((_, response) => void response.writeHead(503).end('<b>down</b> for maintenance'));
  const { change } = await startStory(service);
  const changes = [await change(), await change(), await change(), await change()];
  const { body } = await service.request('/webhooks');
  const deliveries = deliveriesOf(service, body.webhooks[0].id);
  await until('four deliveries failed', async () => {
    const all = await deliveries();
    if (all.every(({ owner }) => owner === null)) service.clock.advance(4);
    return all.filter(({ status }) => status === 'failed').length === changes.length;
  });
  await page.getByLabel('Outcome').selectOption('failed');
  await press(page, 'Refresh');
  await page.getByText('4 deliveries, newest event first.').waitFor();
  await page.getByText(/last failure .*: status 503 · \d+ failed attempts in a row/).waitFor();
  const cells = await page.locator('.deliveries tr[data-key^=dlv]').first().innerText();
  // The date is shown once per day.
  expect(await page.locator('.deliveries .group').allInnerTexts()).toEqual([expect.stringMatching(/\d{1,2} \w{3}/)]);
  expect(cells.replaceAll(/\s+/g, ' ')).toMatch(/^s1 .* → .*, score \d+ \d\d:\d\d:\d\d failed 4 \d+ ms$/);
  const details = page.locator('.panel');
  await page.locator('.deliveries tbody button').first().focus();
  await page.keyboard.press('Enter');
  expect(await details.innerText()).toContain(`"timestamp": "${changes.at(-1)?.timestamp}"`);
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(await page.evaluate(wrappedLines)).toBe(0);
  expect(await details.innerText()).toContain('status 503');
  expect(await details.locator('li pre').first().innerText()).toBe('<b>down</b> for maintenance');
  await press(page, 'Refresh');
  await settled();
  expect(await details.isVisible()).toBe(true);

  receiver.answer(204);
  await press(page, /^Retry$/);
  await details.locator('.badge.delivered').waitFor();
  await page.getByText('3 deliveries, newest event first.').waitFor();
  await press(page, 'Retry failed …');
  await page.getByLabel('Since (optional)').fill('2099-01-01T00:00:00');
  await page.keyboard.press('Enter');
  await page.getByText('No failed deliveries match.').waitFor();
  expect(await focused(page)).toBe('Retry failed …');
  const { length } = receiver.received;
  await press(page, 'Retry failed …');
  await press(page, /^Retry$/);
  await page.getByText('3 deliveries queued again.').waitFor();
  await receiver.until(length + 3);
  const replayed = receiver.received.slice(length).map(({ event }) => event.timestamp);
  expect(replayed).toEqual(changes.slice(0, 3).map(({ timestamp }) => timestamp));

  await press(page, 'Rotate secret …');
  await press(page, /^Rotate$/);
  expect(await page.locator('.secret').innerText()).not.toBe(secret);
  await press(page, 'Done');
  await press(page, 'Rotate secret …');
  await press(page, /^Rotate$/);
  await page.locator('dialog .fault[role=alert]:not(:empty)').waitFor();
  await page.keyboard.press('Escape');
  await press(page, 'Remove …');
  await press(page, /^Remove$/);
  await page.getByText('No webhooks yet').waitFor();
  await expect.poll(() => focused(page)).toBe('Webhooks');
  expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
  // Browsers log every response with an error status.
  expect(complaints.filter((it) => !/status of (422|409)/.test(it))).toEqual([]);
});

test('a webhook can be that of a person, and the form suggests the known people', async ({ service }) => {
  await service.read({ session_id: 'chat', subject_id: 'anna', heart_rate: 70 });
  const { page, complaints } = await openDashboard(service, 'webhooks');
  await press(page, 'Register a webhook');
  await page.getByLabel('URL of your receiver').fill('http://127.0.0.1:9/hooks');
  await expect.poll(() => page.locator('#webhook-people option').evaluateAll((found) => found.length)).toBe(1);
  expect(await page.locator('#webhook-people option').getAttribute('value')).toBe('anna');
  await page.getByLabel('Person (optional)').fill('anna');
  await page.keyboard.press('Enter');
  await page.locator('.secret').waitFor();
  await press(page, 'Done');
  await page.getByText(/^Person anna/).waitFor();
  expect((await service.request('/webhooks')).body.webhooks).toMatchObject([{ subject_id: 'anna' }]);
  expect(complaints).toEqual([]);
});

test('alert rules are listed with their people and their newest firing, and are created and removed', async () => {
  const service = await startTestService();
  await createRule(service, { condition: 'stressed', minutes: 2, subject_ids: ['anna'] });
  await stress(service, 'anna', 3);
  expect(await evaluateNow(service)).toBe(1);
  const { page, complaints } = await openDashboard(service, 'webhooks');
  const card = page.getByRole('region', { name: 'Alert rules' });
  const row = card.locator('li').filter({ hasText: 'Stressed or above for 2 minutes' });
  await row.getByText(/^for anna · last fired (now|\d+ \w+ ago)$/).waitFor();
  await card.getByRole('button', { name: 'New rule …' }).click();
  await page.getByText('Nothing fires in the quiet hours. What is still true at their end fires then.').waitFor();
  expect(await page.getByLabel('Hours').isVisible()).toBe(false);
  await page.getByLabel('When').selectOption('no_data');
  await page.getByLabel('Hours').fill('200');
  await page.getByLabel('Quiet from').pressSequentially('22');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Input should be two complete times.').waitFor();
  await page.getByLabel('Quiet from').fill('22:00');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.locator('#field-hours-fault:not(:empty)').waitFor();
  expect(await focused(page)).toBe('field-hours');
  await page.getByLabel('Hours').fill('12');
  await page.getByLabel('People').fill(' anna  ben ');
  await page.getByLabel('Quiet to').fill('07:00');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await card.getByText(/^for anna, ben · quiet from 22:00 to 07:00, \S+ · not fired in the last days$/).waitFor();
  const rules = async () => (await service.request('/v1/alerts')).body.alerts;
  expect((await rules())[1]).toMatchObject({ condition: 'no_data', hours: 12, subject_ids: ['anna', 'ben'] });
  await row.getByRole('button').click();
  await press(page, /^Remove$/);
  await expect.poll(rules).toMatchObject([{ condition: 'no_data' }]);
  await expect.poll(() => card.locator('li').count()).toBe(1);
  expect(complaints.filter((it) => !it.includes('422'))).toEqual([]);
});

test('a rule without a webhook says so, and opens the form with a receiver to copy', async ({ service }) => {
  const { page, complaints } = await openDashboard(service, 'webhooks');
  await page.getByRole('button', { name: 'New rule …' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Register a webhook' });
  await form.getByText('The rule is created. No webhook receives its alerts yet: register one.').waitFor();
  await form.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('No webhook receives: Stressed or above for 10 minutes.').waitFor();
  await page.getByRole('button', { name: 'Register one …' }).click();
  await form.getByText('A receiver to copy').click();
  expect(await form.locator('pre').textContent()).toBe(receiver);
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await form.getByLabel('URL of your receiver').fill('http://127.0.0.1:9/hooks');
  await form.getByRole('button', { name: 'Register', exact: true }).click();
  await press(page, 'Done');
  await expect.poll(() => page.getByText('No webhook receives').isVisible()).toBe(false);
  expect((await service.request('/webhooks')).body.webhooks).toMatchObject([{ events: ['alert'] }]);
  // That of another person receives nothing of this rule.
  await service.request(`/webhooks/${(await service.request('/webhooks')).body.webhooks[0].id}`, { method: 'DELETE' });
  await service.post('/webhooks/register', { url: 'http://127.0.0.1:9/', events: ['alert'], subject_id: 'ben' });
  await service.post('/v1/alerts', { condition: 'no_data', hours: 1, subject_ids: ['anna'] });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('No webhook receives: No data for 1 hour.').waitFor();
  expect(complaints).toEqual([]);
});

test('the page and its dialogs fit, are accessible and log no error, in light and dark, on a desktop and at 320 pixels', async () => {
  const service = await startTestService();
  const { page, complaints } = await openDashboard(service, 'webhooks');
  const check = async (name: string) => expect([name, await flawsInLightAndDark(page)]).toEqual([name, []]);
  await page.getByRole('button', { name: 'Register a webhook' }).click();
  await page.getByLabel('URL of your receiver').fill(`http://127.0.0.1:9/${'long-path/'.repeat(12)}`);
  await page.keyboard.press('Enter');
  await page.locator('.secret').waitFor();
  await check('secret');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Send test' }).click();
  const { id } = await register(service, 'http://127.0.0.1:9/hooks', { session_id: 'support-call-4812' });
  const attempt = { timestamp: service.clock.at(), duration_ms: 12 };
  const attempts = [
    { ...attempt, status: 500, answer: 'x'.repeat(300) },
    { ...attempt, error: 'timeout' as const },
  ];
  const timestamp = service.clock.at(-5);
  const alert = { event: 'alert', alert_id: 'alr_1', subject_id: 'anna', condition: 'stressed', timestamp };
  await storeFailed(service, [
    { webhookId: id, attempts },
    { webhookId: id, sessionId: 'alert 1', payload: JSON.stringify(alert), attempts },
  ]);
  await storeDue(service, id, 1);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.locator('.deliveries tr', { hasText: 'anna alert, stressed' }).getByText('failed').waitFor();
  await page.getByLabel('Outcome').selectOption('pending');
  await page.getByText('2 deliveries, newest event first.').waitFor();
  expect(await page.locator('.deliveries tbody .badge').allInnerTexts()).toEqual(['pending', 'pending']);
  await page.getByLabel('Outcome').selectOption('failed');
  await page.getByText('2 deliveries, newest event first.').waitFor();
  // With several webhooks, a delivery names its own.
  await page.locator('.deliveries th', { hasText: 'http://127.0.0.1:9/hooks' }).first().waitFor();
  await page.locator('.deliveries tbody button').first().click();
  await page.getByText('2 attempts').waitFor();
  await check('webhooks');
  await page.getByRole('button', { name: 'Close' }).click();
  await service.post('/v1/alerts', { condition: 'no_data', subject_ids: ['anna', 'ben', 'cleo', 'dora'] });
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('for anna, ben, cleo and 1 more · not fired in the last days').waitFor();
  for (const name of ['Retry failed …', 'Remove …', 'New rule …']) {
    await page.getByRole('button', { name, exact: true }).last().click();
    await check(name);
    await page.getByRole('button', { name: 'Cancel' }).click();
  }
  await page.getByText('The test is still running: no response so far.').waitFor();
  expect(complaints).toEqual([]);
});
