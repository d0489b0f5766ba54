import { createKeyTable } from '../../../src/store/keys.js';
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKey } from '../../../src/keys/manage.js';
import { flawsInLightAndDark, openBrowser, phone } from '../../../testkit/browser.js';
import { enterDashboard, openDashboard } from '../../../testkit/dashboard.js';
import { realTime, startTestService, type TestService, type TestServiceOptions } from '../../../testkit/service.js';

const small = { width: 375, height: 812 };
const subject_id = 'person-1';
const worry = {
  user_message: 'I am worried that I will lose my job.',
  ai_response: 'What worries you most about it?',
};
/** The accessibility check of a page takes seconds. */
const everyPageMs = 600_000;

/** Starts a service with a session whose state changes, and its subject's topics. */
async function startShown(options?: TestServiceOptions): Promise<TestService> {
  const service = await startTestService(options);
  const scenes = [
    { heart_rate: 62, tone: 'calm', sentiment: 0.6 },
    { heart_rate: 112, tone: 'hostile', sentiment: -0.7, ...worry },
    { heart_rate: 110, tone: 'hostile', expression: 'tense', sentiment: -0.8 },
  ] as const;
  for (const [index, signals] of scenes.entries())
    await service.read({ session_id: 'shown', subject_id, timestamp: service.clock.at(index * 10 - 30), ...signals });
  await service.read({ session_id: 'other', heart_rate: 70 });
  return service;
}

test(
  'every page fits, is accessible and logs no error, in light and dark, on a desktop and at 320 pixels',
  async () => {
    const service = await startShown();
    const { page, complaints } = await openBrowser(service.url);
    const check = async (name: string) => expect([name, await flawsInLightAndDark(page)]).toEqual([name, []]);
    await page.goto(`${service.url}/dashboard/`);
    await page.getByLabel('API key').waitFor();
    await check('key');
    await enterDashboard(page, service);
    await page.locator('.rows').getByRole('link', { name: /shown/ }).waitFor();
    await check('sessions');
    await page.goto(`${service.url}/dashboard/#/sessions/shown`);
    await page.locator('.triggers li').first().waitFor();
    await check('session');
    await page.goto(`${service.url}/dashboard/#/try`);
    await page.getByText('Add a conversation turn').click();
    await check('try');
    await page.goto(`${service.url}/dashboard/#/people`);
    await page.getByRole('link', { name: subject_id }).waitFor();
    await page.getByText('Agreement with reports').waitFor();
    await check('people');
    await page.goto(`${service.url}/dashboard/#/none`);
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await check('unknown');
    await page.goto(`${service.url}/dashboard/#/sessions/empty`);
    await page.getByText('No readings of this session').waitFor();
    await check('session without readings');
    expect(complaints).toEqual([]);
  },
  everyPageMs,
);

test('the page of sessions has its heading before the states are counted', async () => {
  const service = await startShown();
  const { page } = await openBrowser(service.url);
  // Counts are drawn in an animation frame.
  await page.addInitScript('requestAnimationFrame = () => 0');
  await enterDashboard(page, service);
  await page.locator('.rows').getByRole('link', { name: /shown/ }).waitFor();
  expect(await page.locator('h1').allTextContents()).toEqual(['Sessions by state']);
});

test('a session shows its score, reason, chart, signals and triggers', async () => {
  const service = await startShown();
  const { page } = await openDashboard(service, 'sessions/shown');
  const { body: state } = await service.request('/v1/state?session_id=shown');
  await expect.poll(() => page.locator('.score').innerText()).toBe(String(state.stress_score));
  await expect.poll(() => page.locator('.state-chip').innerText()).toMatch(/^Acute stress\s+since \d\d:\d\d$/);
  await page.getByText(state.action_reason).waitFor();
  // A second figure, e.g. that of a reading, would contradict the present one.
  expect(
    await page
      .locator('main')
      .getByText(/confidence/i)
      .allInnerTexts(),
  ).toEqual(['Confidence now']);
  await page.getByText(state.recommendation).waitFor();
  const chart = page.getByRole('img', { name: /3 readings/ });
  await chart.waitFor();
  expect(await chart.locator('.band').count()).toBe(5);
  const { body: history } = await service.request('/v1/history?session_id=shown');
  expect(await chart.locator('.hold').count()).toBe(history.summary.transitions + 1);
  expect(await chart.locator('.topic span').allTextContents()).toEqual(['job loss']);
  expect(await chart.locator('path.line-heart').count()).toBe(1);
  expect(await page.locator('.triggers').innerText()).toMatch(
    /job loss[^]*mean stress of its turns \d+, peak \d+, 1 session/,
  );
  const signals = await page.locator('.signals li').allInnerTexts();
  expect(signals.map((it) => it.split(/\s\d/)[0])).toEqual([
    'Heart rate',
    'Tone hostile',
    'Expression tense',
    'Sentiment -0.8',
  ]);
  // On a phone, the state is beside the score.
  await page.setViewportSize(phone);
  const [figure, chip, card] = await Promise.all(
    ['.score', '.state-chip', '.score-card'].map((it) => page.locator(it).boundingBox()),
  );
  if (!figure || !chip || !card) throw new Error('The card is not shown.');
  expect(chip.y).toBeLessThan(figure.y + figure.height);
  expect(chip.x + chip.width).toBeLessThan(card.x + card.width);
});

test('the list and the chart follow readings of other clients without a reload', async () => {
  const service = await startTestService();
  const { page } = await openDashboard(service, 'sessions/new');
  await page.getByText('No readings of this session').waitFor();
  await service.read({ session_id: 'new', subject_id, heart_rate: 64, tone: 'calm', ...worry });
  await page.locator('.rows').getByRole('link', { name: /new/ }).waitFor();
  await page.getByRole('img', { name: /1 reading,/ }).waitFor();
  await page.locator('.triggers li').filter({ hasText: 'job loss' }).waitFor();
  service.clock.advance(1);
  await service.read({ session_id: 'new', heart_rate: 120, tone: 'hostile', sentiment: -1 });
  await page.getByRole('img', { name: /2 readings.*1 change of/ }).waitFor();
  await service.read({ session_id: 'newer', heart_rate: 70 });
  await expect.poll(() => page.locator('.rows strong').allTextContents()).toEqual(['new', 'newer']);
});

test('ids of clients are text, never markup', async () => {
  const service = await startTestService();
  const session_id = '<img/src=x/onerror=alert(1)>&amp;#/?%41';
  const subject = '"><script>alert(1)</script>';
  await service.read({ session_id, subject_id: subject, heart_rate: 70 });
  const { page, complaints } = await openDashboard(service);
  await page
    .locator('.rows')
    .getByRole('link', { name: /onerror/ })
    .click();
  await expect.poll(() => page.locator('h1').innerText()).toBe(session_id);
  await expect.poll(() => page.locator('.session header p').innerText()).toContain(subject);
  await page.locator('.score').waitFor();
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('everything works by keyboard', async () => {
  const service = await startShown({ clock: realTime() });
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/dashboard/`);
  await page.keyboard.type(service.key);
  await page.keyboard.press('Enter');
  await page.locator('.rows').getByRole('link', { name: /shown/ }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('shown');
  await page.locator('path.line-score').waitFor();
  await page.getByRole('radio', { name: '15 min' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('radio', { name: '30 min', checked: true }).waitFor();
  const newest = await page.locator('.readout').innerText();
  await page.getByLabel('Reading in the chart').focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator('.readout').innerText()).not.toBe(newest);
  await page.getByRole('link', { name: 'Try it' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Send reading' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^By hand: sent, score \d+\.$/).waitFor();
});

test('a reading sent by hand contains only the chosen signals, and without Web Bluetooth there is no strap', async () => {
  const service = await startTestService({ clock: realTime() });
  const { page } = await openDashboard(service, 'try');
  await page.getByLabel('Heart rate', { exact: true }).fill('101');
  await page.getByLabel('Send sentiment').uncheck();
  await page.getByLabel('Tone of voice').selectOption('tense');
  await page.getByRole('button', { name: 'Send reading' }).click();
  await page.getByText(/^By hand: sent, score \d+\.$/).waitFor();
  const [button, outcome] = await Promise.all(
    [page.getByRole('button', { name: 'Send reading' }), page.getByText(/^By hand: sent, score/)].map((it) =>
      it.boundingBox(),
    ),
  );
  expect((outcome?.x ?? 0) - (button?.x ?? 0) - (button?.width ?? 0)).toBeGreaterThanOrEqual(8);
  const [{ session_id }] = (await service.request('/v1/sessions')).body.sessions;
  const { body } = await service.request(`/v1/state?session_id=${session_id}`);
  expect(body.signals_received).toEqual(['cardiovascular', 'vocal']);
  const straps = page.getByRole('button', { name: 'Connect a heart-rate strap' });
  expect([await page.evaluate('"bluetooth" in navigator'), await straps.count()]).toEqual([false, 0]);
  await page.getByLabel('Send heart rate').uncheck();
  await page.getByLabel('Tone of voice').selectOption('');
  await page.getByRole('button', { name: 'Send reading' }).click();
  await page.getByText('By hand: not sent. Missing signals').waitFor();
});

test('a link with another key asks before it replaces the stored key, and a rejected key is forgotten', async () => {
  const service = await startTestService();
  const { page } = await openBrowser(service.url);
  const stored = () => page.evaluate('sessionStorage.getItem("key")');
  const questions: string[] = [];
  let accepts = false;
  page.on('dialog', (it) => {
    questions.push(it.message());
    return accepts ? it.accept() : it.dismiss();
  });
  await enterDashboard(page, service);
  await enterDashboard(page, service);
  expect(questions).toEqual([]);
  // The first link changes the fragment of the loaded page. The second link loads the page.
  await page.goto(`${service.url}/dashboard/#key=sk_other`);
  await expect.poll(() => questions).toHaveLength(1);
  await page.goto('about:blank');
  await page.goto(`${service.url}/dashboard/#key=sk_other`);
  await expect.poll(() => questions).toHaveLength(2);
  expect([await stored(), page.url()]).toEqual([service.key, `${service.url}/dashboard/`]);
  expect(questions.join()).toContain(`${service.key.slice(0, 7)}…`);
  expect(questions.join()).not.toContain(service.key);
  accepts = true;
  await page.goto(`${service.url}/dashboard/#key=sk_other`);
  await page.locator('.field').getByText('The service rejected this key. It may be incomplete, revoked').waitFor();
  expect(await page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
  expect([await stored(), page.url(), questions.length]).toEqual(['', `${service.url}/dashboard/`, 3]);
});

test('the page shows the calls of the month for an account with a quota, and names a missing scope of the key', async () => {
  const { url, store, clock } = await startTestService();
  const account = `solo-${randomUUID()}`;
  const { key } = await createKey(store.use(createKeyTable), { account, tier: 'solo', scopes: ['read'] }, clock.nowMs);
  const { page } = await openDashboard({ url, key });
  const usage = page.getByText(/^\d+ of 50,000 calls of this month$/);
  await usage.waitFor();
  await page.setViewportSize(small);
  await usage.waitFor();
  await page.goto(`${url}/dashboard/#/webhooks`);
  await page.getByText('lacks the scope "webhooks"').waitFor();
});
