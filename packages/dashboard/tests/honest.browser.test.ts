import { expect, test } from 'vitest';
import { realTime, shareTestService, type TestService } from '../../../testkit/service.js';
import { openDashboard } from '../../../testkit/dashboard.js';

const acute = { heart_rate: 170, tone: 'hostile', sentiment: -0.9 } as const;
const real = { session_id: 'support-call', subject_id: 'anna' };
const start = shareTestService({
  clock: realTime(),
  env: { MAX_TIMESTAMP_AGE_SECONDS: '3600' },
});

/** Sends readings of a session, 60 s apart, the last one now. */
async function sendMinutes({ read, clock }: TestService, minutes: number, session_id: string) {
  for (let age = minutes; age >= 0; age -= 1)
    await read({ session_id, timestamp: new Date(clock.now() - age * 60_000).toISOString(), ...acute });
}

test('the page of a real session sends nothing, and the page for trying out has a session and a person of its own', async () => {
  const service = await start();
  await service.read({ ...real, heart_rate: 60, tone: 'calm', timestamp: new Date().toISOString() });
  const { page, complaints } = await openDashboard(service, 'sessions/support-call');
  await page.locator('.score').waitFor();
  const writers = page.getByRole('button', { name: /Acute stress|Send reading|strap/ });
  expect(await writers.count()).toBe(0);
  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Send reading' }).click();
  await page.getByText(/^By hand: sent/).waitFor();
  const { body } = await service.request('/v1/sessions');
  const tried = body.sessions.filter((it: { session_id: string }) => it.session_id !== real.session_id);
  expect(tried).toMatchObject([{ session_id: expect.stringMatching(/^try-\w+$/), subject_id: tried[0].session_id }]);
  expect((await service.request('/v1/history?session_id=support-call')).body.datapoints).toHaveLength(1);
  expect((await service.request('/v1/triggers?subject_id=anna')).body.triggers).toEqual({});
  expect(complaints).toEqual([]);
});

test('the time since when a state holds is that of the service, also if the page has loaded later readings only', async () => {
  const service = await start();
  await sendMinutes(service, 40, 'call');
  const { body } = await service.request('/v1/state?session_id=call');
  const { page } = await openDashboard(service, '', { timezoneId: 'UTC' });
  const since = body.state_since.slice(11, 16);
  await expect.poll(() => page.locator('.rows').innerText()).toContain(`Acute stress since ${since}`);
  await page.locator('.rows .name').click();
  await expect
    .poll(() => page.locator('.state-chip').innerText())
    .toMatch(new RegExp(`^Acute stress\\s+since ${since}$`));
});

test('a trend needs several readings, and a score that is held at the edge of its state is explained', async () => {
  const service = await start();
  const send = (age: number, signals: object) =>
    service.read({ session_id: 'call', timestamp: new Date(Date.now() - age * 1_000).toISOString(), ...signals });
  await send(200, acute);
  const { page } = await openDashboard(service, 'sessions/call');
  await page.getByText(/^In the readings since/).waitFor();
  const facts = () => page.locator('.facts').innerText();
  expect(await facts()).toMatch(/^Confidence now[^]*%$/);
  for (const age of [160, 120, 80]) await send(age, acute);
  await expect.poll(facts).toMatch(/Trend over 5 minutes\s+→ Stable$/);
  const note = page.getByText(/the score is held at the edge of its state until the change lasts/);
  expect(await note.count()).toBe(0);
  const calm = { heart_rate: 62, tone: 'neutral', sentiment: 0.1 };
  const scores = [];
  for (const age of [12, 10, 8]) scores.push((await send(age, calm)).stress_score);
  expect(scores).toEqual([80, 80, 80]);
  await note.waitFor();
  expect(await page.locator('.held').count()).toBe(2);
});

test('after acute stress, the recommendation is to go slowly, and a low confidence is explained', async () => {
  const service = await start();
  const at = (age: number) => new Date(Date.now() - age * 1_000).toISOString();
  await service.read({ session_id: 'call', timestamp: at(220), ...acute });
  // The pause ends what holds a state.
  await service.read({ session_id: 'call', timestamp: at(90), heart_rate: 62, tone: 'calm' });
  const { page } = await openDashboard(service, 'sessions/call');
  await page.getByText('Go slowly', { exact: true }).waitFor();
  await page.getByText(/^Acute stress until \d min ago\. Go slowly for \d more minutes?\. Then/).waitFor();
  expect(await page.getByText('room for detail').count()).toBe(0);
  await page.getByText('Take it as a hint: the score is uncertain.').waitFor();
  await page.getByText(/^Low: the signals are few, old or disagree/).waitFor();
});

test('the highest score comes first among the live sessions, then the session that ended last, each with a heading', async () => {
  const service = await start();
  for (const [index, heart_rate] of [62, 150, 90, 120, 75, 180].entries()) {
    const age = index < 3 ? 400 - index : 0;
    const timestamp = new Date(Date.now() - age * 1000).toISOString();
    await service.read({ session_id: `s-${index}`, heart_rate, tone: 'neutral', timestamp });
  }
  const { page } = await openDashboard(service);
  await expect.poll(() => page.locator('.group').allInnerTexts()).toEqual(['Live now', 'Ended']);
  const rows = page.locator('.rows li');
  await expect.poll(async () => (await rows.allInnerTexts()).findIndex((it) => it === 'Ended')).toBe(4);
  const texts = await rows.allInnerTexts();
  const scores = texts.map((it) => Number(it.split('\n')[0]));
  const [live, ended] = [scores.slice(1, 4), scores.slice(5)];
  expect(live).toHaveLength(3);
  expect(live).toEqual(live.toSorted((a, b) => b - a));
  const { sessions } = (await service.request('/v1/sessions?sort=score')).body;
  const scoreOf = (id: string) => sessions.find((it: { session_id: string }) => it.session_id === id).stress_score;
  expect(ended).toEqual(['s-2', 's-1', 's-0'].map(scoreOf));
});

test('a state without evidence is unknown in the list, the counts, the page of the session and of the person', async () => {
  const service = await start();
  await service.read({ ...real, heart_rate: 120, activity_level: 'vigorous', timestamp: new Date().toISOString() });
  const { page, complaints } = await openDashboard(service);
  const named = /calm|relaxed|focused|stressed|acute/i;
  await expect.poll(() => page.locator('.rows li').last().innerText()).toMatch(/^–\s+support-call\s+Unknown/);
  expect(await page.locator('.rows').innerText()).not.toMatch(named);
  await page.getByRole('button', { name: 'Unknown 1' }).waitFor();
  await page.locator('.rows .name').click();
  await expect.poll(() => page.locator('.state-chip').innerText()).toMatch(/^Unknown/);
  await page.getByText('None: the state is unknown.').waitFor();
  expect(await page.locator('.score').innerText()).toBe('–');
  await page.locator('.hold.unknown').waitFor();
  expect(await page.locator('.readout').innerText()).toMatch(/· unknown · 120 bpm$/);
  expect(await page.locator('.line-score').count()).toBe(0);
  expect(await page.locator('.facts').innerText()).not.toMatch(named);
  expect(await page.title()).toMatch(/^unknown · support-call/);
  await page.goto(`${service.url}/dashboard/#/subjects/anna`);
  await expect.poll(() => page.locator('.now .state-chip').innerText()).toMatch(/^Unknown/);
  await expect.poll(() => page.locator('.person-sessions').innerText()).toMatch(/^–\s*support-call\s*unknown, newest/);
  expect(complaints).toEqual([]);
});
