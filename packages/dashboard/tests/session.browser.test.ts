import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { barriers, desktop, flawsInLightAndDark, narrow, openBrowser } from '../../../testkit/browser.js';
import { Clock, realTime, shareTestService, startTestService, type TestService } from '../../../testkit/service.js';
import { openDashboard } from '../../../testkit/dashboard.js';

const subject_id = 'person-1';
const start = shareTestService({
  clock: realTime(),
  env: { MAX_TIMESTAMP_AGE_SECONDS: '3600' },
});
const texts = [
  'I am worried that I will lose my job.',
  'I cannot sleep anymore, I lie awake every night.',
  'My boss yells at me all the time and I hate it.',
  'I cannot pay my rent, I am deep in debt.',
  'I am so scared of my exams.',
  'My husband and I fight every day.',
];
const ai_response = 'Tell me more about it.';

/** Returns a manual clock. The browser follows the real time, which the service sends in the header Date. */
function startedAgo(seconds: number): TestService['clock'] {
  const clock = new Clock();
  clock.advance(-seconds);
  return clock;
}

/** Sends `count` readings, 5 s apart, with a conversation turn in each second. */
async function sendConversation({ read, clock }: TestService, session_id: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const heart_rate = index < count / 2 ? 65 : 112;
    const turn = index % 2 === 0 ? { user_message: texts[(index / 2) % texts.length] ?? '', ai_response } : {};
    await read({ session_id, subject_id, heart_rate, tone: index < count / 2 ? 'calm' : 'hostile', ...turn });
    clock.advance(5);
  }
}

function colorOf(page: Page, selector: string): Promise<string> {
  return page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
}

/** Returns pairs of texts of the chart that overlap. */
function findOverlaps(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const texts = [...document.querySelectorAll('.picture span')].filter((it) => !it.firstElementChild && it.checkVisibility()).map((it) => [it.textContent, it.getBoundingClientRect()]);
    const touch = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3;
    return texts.flatMap(([one, a], index) => texts.slice(index + 1).filter(([, b]) => touch(a, b)).map(([two]) => one + ' / ' + two));
  })()`);
}

test('a session that ended hours ago is grey, has no recommendation, and its chart opens at its readings with many topics, in every look', async () => {
  const service = await startTestService({ clock: startedAgo(3 * 3600) });
  await sendConversation(service, 'past', 60);
  await service.read({ session_id: 'point', tone: 'tense' });
  const { page, complaints } = await openDashboard(service, 'sessions/past');
  await page.getByText(/^Ended 2 h ago$/).waitFor();
  await page.getByText('None: the newest reading is older than 5 minutes.').waitFor();
  expect(await page.locator('.action, .recommendation').filter({ visible: true }).count()).toBe(0);
  await page.getByText('Connected', { exact: true }).waitFor();
  expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
  expect(await page.title()).toMatch(/^ended · past – /);
  for (const name of ['.state-chip', '.score']) expect(await colorOf(page, name)).toBe(await colorOf(page, '.of'));
  await page.getByRole('img', { name: /60 readings/ }).waitFor();
  const widthOf = async (name: string) => (await page.locator(name).boundingBox())?.width ?? 0;
  // The chart is drawn again every second.
  await expect
    .poll(async () => (await widthOf('path.line-score')) / (await widthOf('.score-plot svg')))
    .toBeGreaterThan(0.7);
  const signals = await page.locator('.signals li').allInnerTexts();
  expect(await page.locator('.signals .bar').evaluateAll((found) => found.map((it) => it.ariaValueNow))).toEqual([
    '0',
    '0',
  ]);
  expect(signals.map((it) => it.replaceAll(/\s+/g, ' '))).toEqual([
    'Heart rate 112 bpm 2 h ago',
    'Tone hostile 2 h ago',
  ]);

  expect(await flawsInLightAndDark(page)).toEqual([]);
  for (const viewport of [desktop, narrow]) {
    await page.setViewportSize(viewport);
    expect([viewport.width, await findOverlaps(page)]).toEqual([viewport.width, []]);
    expect(await page.locator('.topic-mark').count()).toBe(30);
    expect(await page.locator('.topic').count()).toBe(texts.length);
  }
  await page.goto(`${service.url}/dashboard/#/sessions/point`);
  await page.getByRole('img', { name: /: 1 reading,.* 0 changes/ }).waitFor();
  expect(await page.locator('path.line-score.dot').count()).toBe(1);
  expect(await page.locator('.hold').count()).toBe(1);
  expect(await page.locator('.line-heart').count()).toBe(0);
  expect([await findOverlaps(page), await barriers(page)]).toEqual([[], []]);
  expect(complaints).toEqual([]);
});

test('by keyboard, the chart names the topics of a reading, and the subject opens the page of the person', async () => {
  const service = await startTestService({ clock: startedAgo(100) });
  await sendConversation(service, 'live', 20);
  const { page } = await openDashboard(service, 'sessions/live', { viewport: narrow });
  await page.getByRole('img', { name: /20 readings/ }).waitFor();
  expect(await page.title()).toMatch(/^\d+ (stressed|acute stress) · live – /);
  const buttons = page.locator('.top a:visible, .top button:visible');
  const boxes = (await Promise.all((await buttons.all()).map((it) => it.boundingBox()))).flatMap((box) => box ?? []);
  // The pages are in a second line.
  const lines = [boxes.filter(({ y }) => y < 40), boxes.filter(({ y }) => y >= 40)];
  for (const line of lines) {
    const edges = line.flatMap(({ x, width }) => [x, x + width]);
    expect(edges).toEqual(edges.toSorted((a, b) => a - b));
    expect(edges.length).toBeGreaterThan(4);
  }
  await page.getByLabel('Reading in the chart').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => page.locator('.readout').innerText()).toMatch(/job loss$/);
  const bars = await page.locator('.signals .bar').evaluateAll((found) => found.map((it) => Number(it.ariaValueNow)));
  expect(bars.map((it) => it > 0 && it < 1)).toEqual([true, true]);
  await page.getByRole('link', { name: `Person ${subject_id}`, exact: true }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/#\/subjects\/person-1$/);
});

test('a session ends on the page when its signals are too old, and a new reading makes it live again', async () => {
  const service = await start();
  const { page } = await openDashboard(service, 'sessions/ends');
  await page.getByText('No readings of this session').waitFor();
  // A session ends after 300 s.
  const timestamp = new Date(Date.now() - 290_000).toISOString();
  await service.read({ session_id: 'ends', timestamp, heart_rate: 110, tone: 'hostile' });
  await page.getByText(/De-escalate and shorten|Pause and ground/).waitFor();
  await page.getByText(/^Ended 5 min ago$/).waitFor({ timeout: 60_000 });
  await service.read({ session_id: 'ends', timestamp: new Date().toISOString(), heart_rate: 64, tone: 'calm' });
  await page.getByText('Maintain engagement').waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a turn by hand names the subject, and its sentiment is derived by choice', async () => {
  const service = await start();
  const { page } = await openDashboard(service, 'sessions/turn');
  await page.goto(`${service.url}/dashboard/#/try`);
  await page.getByText('Add a conversation turn').click();
  await page.getByLabel('The person said').fill(texts[0] ?? '');
  await page.getByLabel('The assistant answered').fill(ai_response);
  await page.getByLabel(/Derive the sentiment/).check();
  await page.getByRole('button', { name: 'Send reading' }).click();
  await page.getByText(/^By hand: sent, score \d+\. Derived sentiment -0\.\d+\.$/).waitFor();
  await page.locator('.triggers li').filter({ hasText: 'job loss' }).waitFor();
});

test('the key is remembered on the device only by choice, and forgetting it ends its stream and deletes it in every tab', async () => {
  const service = await startTestService();
  const { page } = await openBrowser(service.url);
  const remembered = () => page.evaluate('localStorage.getItem("key")');
  const enter = async (isRemembered: boolean) => {
    await page.getByLabel('API key').fill(service.key);
    expect(await page.getByLabel(/Remember the key/).isChecked()).toBe(false);
    if (isRemembered) await page.getByLabel(/Remember the key/).check();
    await page.getByRole('button', { name: 'Open the dashboard' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
  };
  await page.goto(`${service.url}/dashboard/`);
  await enter(false);
  expect(await remembered()).toBe(null);
  const ended = page.waitForEvent('requestfailed', (it) => it.url().includes('/v1/stream'));
  await page.getByRole('button', { name: 'Forget the key' }).click();
  await ended;
  await enter(true);
  expect(await remembered()).toBe(service.key);
  const other = await page.context().newPage();
  await other.goto(`${service.url}/dashboard/`);
  await other.getByText('Live', { exact: true }).waitFor();
  await other.getByRole('button', { name: 'Forget the key' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await remembered()).toBe(null);
  await page.reload();
  await page.getByLabel('API key').waitFor();
});
