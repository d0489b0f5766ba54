import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createStateClient, type Submission } from '../../client/src/index.js';
import { flawsInLightAndDark, openBrowser, phone } from '../../../testkit/browser.js';
import { allScopes } from '../../../src/keys/scopes.js';
import { makeAccount } from '../../../testkit/calls.js';
import { client, realTime, shareTestService, type TestService } from '../../../testkit/service.js';
import { backfill, dayMs, weekEnv } from '../../../testkit/week.js';
import { enterDashboard, openDashboard } from '../../../testkit/dashboard.js';

const turn = { user_message: 'I am worried that I will lose my job.', ai_response: 'Tell me more about it.' };
const env = { ...weekEnv, MAX_TIMESTAMP_AGE_SECONDS: '3600', LIMIT_NEW_SESSIONS_PER_MINUTE: '0' };
const start = shareTestService({ env, clock: realTime() });
/** A state lasts five minutes, so half of each hour is measured. */
const spacingMs = 600_000;
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

/** Stores quiet readings of anna of all hours of the days before today, and of the present hour. */
async function sendDays({ url, key }: TestService, days: number): Promise<void> {
  const startMs = Date.now() - days * dayMs;
  const count = Math.floor((Date.now() - startMs - 1_500_000) / spacingMs);
  const readings = Array.from({ length: count }, (_, index): Submission => {
    const timestamp = new Date(startMs + index * spacingMs).toISOString();
    return {
      session_id: `anna-${timestamp.slice(0, 10)}`,
      subject_id: 'anna',
      timestamp,
      heart_rate: 62 + (index % 5),
    };
  });
  await backfill(createStateClient({ baseUrl: url, key }), readings);
}

/** Sends 20 minutes of a conversation of anna. The last 12 minutes are stressed. */
async function sendStress({ read }: TestService): Promise<void> {
  for (let age = 1_200; age >= 0; age -= 30) {
    const signals =
      age > 720 ? { heart_rate: 65, tone: 'neutral' } : { heart_rate: 92, tone: 'tense', sentiment: -0.1234 };
    const said = age === 600 ? turn : {};
    await read({ session_id: 'chat', subject_id: 'anna', timestamp: ago(age + 1), ...signals, ...said } as Submission);
  }
}

/** Returns what is behind the first line. */
const sentenceOn = (page: Page) => page.locator('.reasons').textContent();

test('the page of a person says the state and its reasons in one sentence, then the bars that sum to the score, and the usual day', async () => {
  const service = await start();
  await sendDays(service, 5);
  await sendStress(service);
  const { page, complaints } = await openDashboard(service, 'subjects/anna', { timezoneId: 'UTC' });
  const { body } = await service.request('/v1/state?subject_id=anna');
  await expect
    .poll(() => sentenceOn(page))
    .toMatch(
      /^(Stressed|Acute stress) for 1\d minutes, more than usual at this hour; heart rate 2\d above usual, .*the talk about work(, which goes with more stress)?\.$/,
    );
  expect(await page.locator('.sentence').innerText()).toMatch(
    /^(Stressed for 1\d min: .*\. Suggest a short break|Acute stress for 1\d min: .*\. Offer a break now)\.$/,
  );
  expect(await page.locator('.reasons').isVisible()).toBe(false);
  await page.getByText('Why?', { exact: true }).click();
  await page.locator('.reasons').waitFor();
  await page.getByText(body.recommendation).waitFor();
  const figures = await page.locator('.contributions strong').allInnerTexts();
  const points = figures.map((it) => Number(it.replace('−', '-').replace('±', '')));
  expect(points.at(-1)).toBe(body.stress_score);
  expect(points.slice(0, -1).reduce((sum, it) => sum + it, 0)).toBe(body.stress_score);
  const voice = body.without.vocal;
  await page.getByRole('button', { name: 'Voice', exact: true }).click();
  await page.getByText(`Without the voice: ${voice.stress_score}, ${voice.state.replace('_', ' ')}`).waitFor();
  // Each bar begins where the previous one ends.
  const edges = `[...document.querySelectorAll('.piece')].map((it) => [it.offsetLeft, it.offsetLeft + it.offsetWidth])`;
  const ends = await page.evaluate<Array<[number, number]>>(edges);
  expect(ends.length).toBe(points.length);
  for (const [index, [left]] of ends.slice(1, -1).entries())
    expect(Math.abs(left - (ends[index]?.[1] ?? 0))).toBeLessThanOrEqual(2);
  expect(await page.locator('.usual').count()).toBeGreaterThanOrEqual(20);
  await page
    .getByText(/^Line: mean score of each hour. Gray: the middle half of \d to \d other days at the same hour\.$/)
    .waitFor();
  const order = `['.sentence', '.now', '#card-today', '.period', '.strips'].map((it) => document.querySelector(it).getBoundingClientRect().top)`;
  const tops = await page.evaluate<number[]>(order);
  expect(tops).toEqual(tops.toSorted((a, b) => a - b));
  expect(await page.locator('.signals').innerText()).toContain('Sentiment -0.12 ');
  expect(await page.getByText(/As of|Refresh/).count()).toBe(0);
  expect([await flawsInLightAndDark(page), complaints]).toEqual([[], []]);
  // The stream has no parts. Those of an earlier score say so until the state is requested again.
  await page.route('**/v1/state?*', (route) => route.abort());
  await service.read({ session_id: 'chat', subject_id: 'anna', timestamp: ago(0), heart_rate: 60, tone: 'calm' });
  await page.getByRole('heading', { name: new RegExp(`^Why ${body.stress_score}, \\d+ s(ec)? ago$`) }).waitFor();
});

test('what is not known is drawn so: one reading has no duration, a baseline is hatched, a first day has a warning', async () => {
  const service = await start();
  await service.read({ session_id: 'chat', subject_id: 'ben', timestamp: ago(20), heart_rate: 150, tone: 'hostile' });
  const { page, complaints } = await openDashboard(service, 'subjects/ben', { viewport: phone });
  await expect
    .poll(() => sentenceOn(page))
    .toMatch(/in one reading at \d\d:\d\d; .*heart rate 150, usual one not learned yet/);
  await expect.poll(() => page.locator('.measured').allInnerTexts()).toEqual(['one reading']);
  expect(await page.locator('main').innerText()).not.toMatch(/min of stress/);
  const { own_share: share } = (await service.request('/v1/subjects/ben')).body.baseline.heart_rate;
  await page.getByText(`not learned yet: known to ${Math.round(share * 100)} %`).waitFor();
  const background = await page.evaluate(`getComputedStyle(document.querySelector('.bar.learned')).backgroundImage`);
  expect(background).toContain('repeating-linear-gradient');
  expect(
    await page.getByText('First stored day: less certain if the service did not know the person yet.').count(),
  ).toBe(2);
  await page.getByText('Usual scores require 4 other days that were measured at the same hour.').waitFor();
  expect(await page.locator('.usual').count()).toBe(0);
  // Cards without content are one line.
  const heads = page.locator('.person .cards h2');
  expect(await heads.filter({ visible: true }).allInnerTexts()).not.toContain('Topics');
  await page.getByText('No topics yet. Send conversation turns with this subject_id to detect topics.').waitFor();
  expect([await flawsInLightAndDark(page), complaints]).toEqual([[], []]);
});

test('an unknown state is gray and named unknown, also in the chart', async () => {
  const service = await start();
  for (const age of [90, 60, 30])
    await service.read({
      session_id: 'run',
      subject_id: 'cleo',
      timestamp: ago(age),
      heart_rate: 120,
      activity_level: 'vigorous',
    });
  const { page } = await openDashboard(service, 'subjects/cleo');
  await expect.poll(() => sentenceOn(page)).toBe('State unknown: no signal counts now.');
  const color = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  const gray = await color('.foot .hint', 'color');
  expect(gray).toMatch(/^rgb/);
  expect(await color('.sentence', 'borderLeftColor')).toBe(gray);
  // An unknown state holds since no time.
  expect((await page.locator('.state-chip').innerText()).trim()).toBe('Unknown');
  expect(await page.locator('.contributions').count()).toBe(0);
  await page.goto(`${service.url}/dashboard/#/sessions/run`);
  await page.locator('.unknown-time').first().waitFor();
});

test('a person and a session have names in this browser, per account, which forgetting the key deletes', async () => {
  const shared = await start();
  const [{ key }, second] = [
    await makeAccount(shared, 'named', 'enterprise', { scopes: allScopes }),
    await makeAccount(shared, 'named', 'enterprise', { scopes: allScopes }),
  ];
  const service = { ...shared, key };
  const { read } = client(service.url, key, service.clock);
  await read({ session_id: 'chat', subject_id: 'p-1', timestamp: ago(1), heart_rate: 70 });
  const { page, complaints } = await openBrowser(service.url);
  const sent: string[] = [];
  page.on('request', (it) => sent.push(`${it.url()} ${it.postData() ?? ''}`));
  await enterDashboard(page, service, 'subjects/p-1');
  await page.getByRole('button', { name: 'Name …' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Anna <b>');
  await page.getByRole('button', { name: 'Store', exact: true }).click();
  await expect.poll(() => page.locator('h1').innerText()).toBe('Anna <b>');
  await page.getByText('p-1', { exact: true }).first().waitFor();
  await page.reload();
  await expect.poll(() => page.locator('h1').innerText()).toBe('Anna <b>');
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await expect.poll(() => page.locator('.rows .name').allInnerTexts()).toEqual(['Anna <b>']);
  await page.getByRole('searchbox').fill('anna');
  await expect.poll(() => page.locator('.rows .name').count()).toBe(1);
  await page.getByRole('link', { name: 'Sessions', exact: true }).click();
  await expect.poll(() => page.locator('.rows .person').allInnerTexts()).toEqual(['Anna <b>']);
  expect(sent.filter((it) => it.includes('Anna'))).toEqual([]);
  expect(complaints).toEqual([]);
  // Another account in the same browser has its own names.
  const other = await makeAccount(service, 'other', 'enterprise');
  page.on('dialog', (it) => void it.accept());
  await page.goto(`${service.url}/dashboard/#key=${other.key}`);
  await page.goto(`${service.url}/dashboard/#/subjects/p-1`);
  await expect.poll(() => page.locator('h1').innerText()).toBe('p-1');
  // Another key of the account shows its names.
  await page.goto(`${service.url}/dashboard/#key=${second.key}`);
  await page.goto(`${service.url}/dashboard/#/sessions/chat`);
  await page.getByRole('link', { name: 'Person Anna <b>' }).waitFor();
  await page.getByRole('button', { name: 'Forget the key' }).click();
  expect(await page.evaluate(`JSON.stringify(localStorage)`)).not.toContain('Anna');
});

test('120 people: those that need attention come first with the rule, and search, state, order and arrow keys find the others', async () => {
  const service = await start();
  const tones = ['calm', 'neutral', 'tense', 'hostile'] as const;
  const lines = Array.from({ length: 240 }, (_, index): Submission => {
    const person = index % 120;
    const heart_rate = person < 8 ? 165 : 55 + ((person * 37) % 40);
    const tone = person < 8 ? 'hostile' : (tones[person % 3] ?? 'calm');
    const subject_id = `person-${person}`;
    const worst = person < 8 ? { sentiment: -0.9 } : {};
    return { session_id: `s-${person}`, subject_id, timestamp: ago(index < 120 ? 40 : 20), heart_rate, tone, ...worst };
  });
  const client = createStateClient({ baseUrl: service.url, key: service.key });
  expect((await client.ingestBatch(lines)).rejected).toBe(0);
  const { page, complaints } = await openDashboard(service, 'people');
  await page.getByText(/^120 people, \d+ stressed now$/).waitFor();
  const names = () => page.locator('.rows .name').allInnerTexts();
  await expect
    .poll(async () => (await page.locator('.group').allInnerTexts())[0])
    .toMatch(/^Needs attention: acute stress now, or stressed for 10 minutes or longer$/);
  const { sessions, states } = (await service.request('/v1/sessions?sort=score')).body;
  const acute = sessions.filter((it: { state: string }) => it.state === 'acute_stress').length;
  expect(acute).toBeGreaterThan(0);
  await page.getByText(`120 people, ${states.stressed + states.acute_stress} stressed now`).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('person-11');
  await expect.poll(names).toEqual(expect.arrayContaining(['person-11', 'person-110']));
  expect((await names()).length).toBe(11);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  expect(await page.evaluate('document.activeElement.textContent')).toBe((await names())[1]);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  expect(await page.evaluate('document.activeElement.type')).toBe('search');
  await page.getByRole('searchbox').fill('');
  await page.getByLabel('State', { exact: true }).selectOption('acute_stress');
  await expect.poll(async () => (await names()).length).toBe(acute);
  await page.getByLabel('State', { exact: true }).selectOption('');
  await page.getByLabel('Sort by').selectOption('name');
  await expect.poll(names).toEqual(Array.from({ length: 25 }, (_, index) => `person-${index}`));
  await page.locator('.rows .name').nth(3).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('h1').innerText()).toBe('person-3');
  await page.goto(`${service.url}/dashboard/#/people`);
  await page.locator('.rows .name').nth(20).waitFor();
  expect([await flawsInLightAndDark(page), complaints]).toEqual([[], []]);
});
