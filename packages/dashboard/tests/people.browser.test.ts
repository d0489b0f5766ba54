import { expect, test } from 'vitest';
import { flawsInLightAndDark, phone } from '../../../testkit/browser.js';
import { allScopes } from '../../../src/keys/scopes.js';
import { makeAccount } from '../../../testkit/calls.js';
import { createHubSecret } from '../../../testkit/phone.js';
import { openDashboard } from '../../../testkit/dashboard.js';
import { realTime, shareTestService, client, type TestService } from '../../../testkit/service.js';

const turn = { user_message: 'I am worried that I will lose my job.', ai_response: 'Tell me more about it.' };
const start = shareTestService({ clock: realTime(), env: { PUBLIC_URL: 'https://state.example.com' } });

const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

/** Sends the heart rate of a watch and the tone of a chat of one person. */
async function sendBoth({ read }: TestService, heart_rate: number, tone: 'calm' | 'hostile'): Promise<void> {
  await read({ session_id: 'watch', subject_id: 'anna', timestamp: ago(0.01), heart_rate });
  await read({ session_id: 'chat', subject_id: 'anna', timestamp: ago(0), tone });
}

/** Returns the visible texts of the list that are partly outside of it. */
const cutOff = `[...document.querySelectorAll('.people .rows li > *')]
  .filter((it) => it.checkVisibility() && it.getBoundingClientRect().right > it.closest('.card').getBoundingClientRect().right)
  .map((it) => it.textContent)`;

test('the list of people shows state, last reading, stress of the week and active triggers, and follows readings', async () => {
  const service = await start();
  for (const seconds of [240, 180, 120])
    await service.read({
      session_id: 'chat',
      subject_id: 'anna',
      timestamp: ago(seconds),
      heart_rate: 165,
      tone: 'hostile',
      ...turn,
    });
  await service.read({ session_id: 'calm', subject_id: 'ben', timestamp: ago(299), heart_rate: 60, tone: 'calm' });
  await service.read({ session_id: 'nobody', heart_rate: 60, timestamp: ago(0) });
  const { page, complaints } = await openDashboard(service);
  await page.getByRole('link', { name: 'People' }).click();
  const row = page.locator('.rows li').filter({ hasText: 'anna' });
  // In the first minutes of a day, most of the stress is of yesterday.
  await expect
    .poll(() => row.innerText())
    .toMatch(/tress(ed)?( \(uncertain\))? since \d\d:\d\d.*\s+2 min ago\s+\d min.*\s+job loss$/);
  await expect
    .poll(() => page.locator('.rows li').filter({ hasText: 'ben' }).innerText())
    .toMatch(/Ended · \w+\s+5 min ago\s+0 min\s+–$/);
  const ids = page.locator('.rows .name');
  // Those whose session has ended are last.
  expect(await ids.allInnerTexts()).toEqual(['anna', 'ben']);
  await service.read({ session_id: 'call', subject_id: 'cleo', timestamp: ago(0), heart_rate: 62, tone: 'calm' });
  await expect.poll(() => ids.allInnerTexts()).toEqual(['anna', 'cleo', 'ben']);
  await sendBoth(service, 150, 'hostile');
  await expect.poll(() => row.innerText()).toMatch(/now|\d s ago/);
  await page.setViewportSize(phone);
  expect(await page.evaluate(cutOff)).toEqual([]);
  expect(await row.innerText()).toMatch(/anna[^]*tress(ed)?[^]*(now|\d s ago)[^]* min.*\s+job loss/);
  await row.click();
  await expect.poll(() => page.locator('h1').innerText()).toBe('anna');
  expect(complaints).toEqual([]);
});

test('the page of a person follows all sessions of the person, and names the session that sent each signal', async () => {
  const service = await start();
  await sendBoth(service, 60, 'calm');
  const { page, complaints } = await openDashboard(service, 'subjects/anna');
  const { body } = await service.request('/v1/state?subject_id=anna');
  expect(body.shared_signals).toMatchObject([{ signal: 'heart_rate', session_id: 'watch' }]);
  await expect.poll(() => page.locator('.now .score').innerText()).toBe(String(body.stress_score));
  const sources = async () =>
    (await page.locator('.now .signals li').allInnerTexts()).map((it) => it.split('\n')[0]?.trim());
  await expect.poll(sources).toEqual(['Heart rate 60 bpm from watch', 'Tone calm from chat']);
  await sendBoth(service, 170, 'hostile');
  await expect.poll(sources).toEqual(['Heart rate 170 bpm from watch', 'Tone hostile from chat']);
  const state = (await service.request('/v1/state?subject_id=anna')).body;
  await expect.poll(() => page.locator('.now .score').innerText()).toBe(String(state.stress_score));
  expect(complaints).toEqual([]);
});

test('from the page of a person, an alert rule and a link for this person are made, with the scopes that they require', async () => {
  const service = await start();
  const [full, limited] = [
    await makeAccount(service, 'acting', 'enterprise', { scopes: allScopes }),
    await makeAccount(service, 'acting', 'enterprise', { scopes: ['read'] }),
  ];
  const { read, request } = client(service.url, full.key, service.clock);
  await read({ session_id: 'chat', subject_id: 'anna', timestamp: ago(0), heart_rate: 70 });
  const { page, complaints } = await openDashboard({ ...service, key: full.key }, 'subjects/anna');
  await page.getByRole('button', { name: 'Alert …' }).click();
  expect(await page.getByLabel('People').inputValue()).toBe('anna');
  await page.getByLabel('When').selectOption('above_usual');
  await page.getByLabel('Minutes').fill('20');
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('Alert rule created.').waitFor();
  await page.getByText('No webhook receives its alerts yet').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const { alerts } = (await request('/v1/alerts')).body;
  expect(alerts).toMatchObject([{ condition: 'above_usual', minutes: 20, subject_ids: ['anna'] }]);

  const links = async () => (await request('/v1/subjects/anna/links')).body.links;
  const openLinks = () => page.getByRole('button', { name: 'Link for this person …' }).click();
  await openLinks();
  await page.getByLabel('Say how they feel').uncheck();
  await page.getByLabel('Connect a phone and upload files').check();
  await page.getByLabel('Valid for, in days').fill('91');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.locator('#field-valid-for-in-days-fault:not(:empty)').waitFor();
  await page.getByLabel('Valid for, in days').fill('7');
  expect(await flawsInLightAndDark(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('img', { name: 'Code for the link' }).waitFor();
  expect(await flawsInLightAndDark(page)).toEqual([]);
  const url = await page.locator('.secret').innerText();
  expect(url).toMatch(/^https:\/\/state\.example\.com\/person\/#pl_\w+$/);
  await page.getByRole('button', { name: 'Done' }).click();
  // Browsers fire the event `close`, which removes the secret, a moment later.
  await expect.poll(() => page.content()).not.toContain(url);
  expect(await links()).toMatchObject([{ grants: ['read', 'connect'], opened_at: null }]);
  await openLinks();
  await page.getByText(/^read, connect · not opened yet · ends /).waitFor();
  await page.getByRole('button', { name: /^End: read, connect · not opened yet/ }).click();
  await page.getByRole('button', { name: 'End', exact: true }).click();
  await expect.poll(links).toEqual([]);
  expect(complaints.filter((it) => !it.includes('422'))).toEqual([]);

  const other = await openDashboard({ ...service, key: limited.key }, 'subjects/anna');
  for (const [name, scope] of [
    ['Alert …', 'webhooks'],
    ['Link for this person …', 'tokens'],
  ] as const) {
    await other.page.getByRole('button', { name }).click();
    await other.page.getByText(`lacks the scope "${scope}"`).waitFor();
    expect(await other.page.getByRole('dialog').count()).toBe(0);
  }
});

test('the credentials are listed with person, maker and end, and the page names the command that lists the others', async () => {
  const service = await start();
  const { key, keyId } = await makeAccount(service, 'credentials', 'enterprise', { scopes: allScopes });
  const { post } = client(service.url, key, service.clock);
  await post('/v1/source-keys', { subject_id: 'anna', source: 'generic', expires_in_days: 30 });
  const hub = await post('/v1/source-keys', { source: 'terra', signing_secret: createHubSecret('terra') });
  const { page, complaints } = await openDashboard({ ...service, key }, 'people', { viewport: phone });
  await page.getByText('Credentials').click();
  const cells = async () =>
    Promise.all((await page.locator('details tr').all()).map((row) => row.locator('td').allInnerTexts()));
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  await expect
    .poll(cells)
    .toEqual([[], ['all people', hub.body.expires_at.slice(0, 10), keyId, day(0)], ['anna', day(30), keyId, day(0)]]);
  expect(await page.locator('details tbody').innerText()).toMatch(/hub srk_\w+[^]*source key wk_\w{4}…/);
  await page.getByText('state-service keys list --all').waitFor();
  await page.getByText('Tokens are not stored').waitFor();
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect([overflow, await flawsInLightAndDark(page)]).toEqual([0, []]);
  expect(complaints).toEqual([]);
  await page.getByRole('link', { name: 'anna' }).click();
  await page.getByRole('heading', { name: 'anna' }).waitFor();
});
