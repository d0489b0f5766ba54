import { createFactTable } from '../../../src/store/facts.js';
import { createKeyTable } from '../../../src/store/keys.js';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createStateClient } from '../../client/src/index.js';
import { createKey } from '../../../src/keys/manage.js';
import type { Schema, Scope } from '../../../src/contract/contract.js';
import { seededRandom } from '../../tools/terminal/scenes.js';
import { flawsInLightAndDark, narrow, openBrowser } from '../../../testkit/browser.js';
import { client, Clock, startTestService, type TestService } from '../../../testkit/service.js';
import { backfill, dayMs, weekEnv } from '../../../testkit/week.js';
import { openDashboard } from '../../../testkit/dashboard.js';

type Agreement = Schema<'Agreement'>;

const tones = ['calm', 'neutral', 'tense', 'hostile'] as const;
/** The accessibility check of a page takes seconds. */
const everyLookMs = 240_000;

/** The page sends reports with the present time, so the service needs a clock that advances by itself. */
class RunningClock extends Clock {
  #aheadMs = 0;
  override now = (): number => Date.now() + this.#aheadMs;
  override advance(seconds: number): void {
    this.#aheadMs += seconds * 1000;
  }
}

function start(): Promise<TestService> {
  return startTestService({ env: weekEnv, clock: new RunningClock() });
}

/** Sends readings of a week, and a report about each of them. The reported stress follows the tone, with errors. */
async function reportWeek({ url, key, clock }: TestService, people: number): Promise<void> {
  const random = seededRandom(7);
  const service = createStateClient({ baseUrl: url, key });
  const moments = Array.from({ length: 14 * people }, (_, index) => {
    const [person, half] = [index % people, Math.floor(index / people)];
    const timestamp = new Date(Date.now() - (half + 1) * (dayMs / 2)).toISOString();
    return { session_id: `s-${index}`, subject_id: `p${person}`, timestamp, tone: Math.floor(random() * tones.length) };
  });
  await backfill(
    service,
    moments.map(({ tone, ...moment }) => ({ ...moment, tone: tones[tone] ?? 'calm' })),
  );
  for (const { subject_id, timestamp, tone } of moments) {
    await service.submitFeedback({
      subject_id,
      timestamp,
      stress: Math.min(10, Math.floor(2.2 * tone + 4 * random())),
    });
    // Of one person, one report per minute counts.
    clock.advance(60);
  }
}

/** Stores that a person did not wear the device, as their page states it. */
async function dispute({ store, accountId, clock }: TestService, subjectId: string): Promise<void> {
  const [startMs, untilMs] = [clock.now() - dayMs, clock.now() - dayMs + 60_000];
  const times = { startMs, endMs: untilMs, untilMs, recordedAtMs: clock.now() };
  const fact = {
    factId: randomUUID(),
    kind: 'not_worn',
    source: 'person',
    revision: 0,
    isRemoved: 0,
    ...times,
  } as const;
  await store.run((knex) => createFactTable({ knex, accountId }).save(subjectId, fact));
}

const line = (page: Page) => page.locator('.agreement-line').innerText();
const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Returns the text of each band of the calibration. */
function describeBands({ calibration }: Agreement): string[] {
  return calibration.map(({ reports, stressed_share: share, mean_score, mean_stress }) => {
    const shown = share ? `${percent(share.value)} stressed (${percent(share.low)} to ${percent(share.high)}), ` : '';
    const number = reports === 0 ? 'no reports' : `${reports} report${reports === 1 ? '' : 's'}`;
    const few = reports > 0 && !share ? ', a share requires 5' : '';
    return `${shown}${number}${few}${reports > 0 ? `, mean score ${mean_score}, mean stress ${mean_stress}` : ''}`;
  });
}

/** Returns the places of elements on their line, each from 0 to 1: the left edge, and the width if it is set. */
async function places(page: Page, selector: string): Promise<number[][]> {
  const styles = await page.locator(selector).evaluateAll((found) => found.map((it) => it.getAttribute('style') ?? ''));
  return styles.map((style) => [...style.matchAll(/([\d.]+)%/g)].map(([, percent]) => Number(percent) / 100));
}

/** Returns the distance from the labels of the axis to the first bar, px. */
const axisDistance = `(() => {
  const [axis, bar] = ['.calibration .axis', '.calibration .interval'].map((it) => document.querySelector(it).getBoundingClientRect());
  return bar.top - axis.bottom;
})()`;

async function expectShown(page: Page, agreement: Agreement): Promise<void> {
  const { auc = { value: NaN, low: NaN, high: NaN } } = agreement;
  const figures = [auc.value, auc.low, auc.high].map((it) => it.toFixed(2));
  const found = `Stressed reports have the higher scores, in ${Math.round(100 * Number(figures[0]))} % of the pairs`;
  await expect.poll(() => line(page)).toMatch(new RegExp(`^(${found}|No agreement shown so far): `));
  expect(await line(page)).toMatch(
    new RegExp(`: ${agreement.reports} reports of .*, ${agreement.scored_reports} with a score`),
  );
  const row = page.locator('.calibration li').filter({ hasText: /^Right order/ });
  expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toBe(
    `Right order ${figures[0]} ${figures[1]} to ${figures[2]}`,
  );
  expect(await page.locator('.facts-line').allInnerTexts()).toEqual(describeBands(agreement));
  const shares = agreement.calibration.flatMap((it) => it.stressed_share ?? []);
  const estimates = [auc, ...shares];
  expect(await places(page, '.estimate')).toEqual(estimates.map(({ value }) => [expect.closeTo(value, 5)]));
  const intervals = estimates.map(({ low, high }) => [expect.closeTo(low, 5), expect.closeTo(high - low, 5)]);
  expect(await places(page, '.interval')).toEqual(intervals);
}

test(
  'the agreement of the account and of a person has the figures of the service, and fits every look',
  async () => {
    const service = await start();
    // The reports end before the present time of the page.
    service.clock.advance(-7_200);
    await reportWeek(service, 6);
    for (const person of [0, 1, 2, 3, 4]) await dispute(service, `p${person}`);
    const account: Agreement = await service.get('/v1/agreement');
    const person: Agreement = await service.get('/v1/subjects/p0/agreement');
    expect([account.status, person.status]).toEqual(['measured', 'not_enough_reports']);
    const { page, complaints } = await openDashboard(service, 'people');
    const summary = page.locator('.agreement-home summary');
    await expect.poll(() => line(page)).toContain('6 people');
    expect(await page.locator('.calibration').first().isVisible()).toBe(false);
    await summary.focus();
    await page.keyboard.press('Enter');
    await expectShown(page, account);
    await page.getByText('Disputed on the pages of people: Not worn 5 × by 5 people.').waitFor();
    expect(await page.evaluate(axisDistance)).toBeLessThan(16);
    expect(await flawsInLightAndDark(page)).toEqual([]);

    // 14 reports of a person are not enough: 20 more of the same days are.
    await page.goto(`${service.url}/dashboard/#/subjects/p0`);
    await page.getByText('Required for a comparison').waitFor();
    expect(await line(page)).toMatch(/^Too few to tell: 14 reports of \d days, 14 with a score/);
    await page.getByText('14 of at least 20 reports with a score').waitFor();
    expect(await page.locator('.calibration li', { hasText: /^Right order/ }).count()).toBe(0);
    expect(await page.locator('.facts-line').allInnerTexts()).toEqual(describeBands(person));
    expect(await flawsInLightAndDark(page)).toEqual([]);
    const { body } = await service.request('/v1/feedback?subject_id=p0');
    for (const { timestamp, stress } of body.feedback) {
      await service.post('/v1/feedback', { subject_id: 'p0', timestamp, stress, note_code: 'other' });
      service.clock.advance(60);
    }
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await expectShown(page, await service.get('/v1/subjects/p0/agreement'));
    expect(complaints).toEqual([]);
  },
  everyLookMs,
);

test('by keyboard, a report about a session is stored only after a number was chosen, with its time and note', async () => {
  const service = await start();
  const { stress_score, state } = await service.read({ session_id: 'shown', subject_id: 'anna', tone: 'tense' });
  const { page, complaints } = await openDashboard(service, 'sessions/shown', { viewport: narrow });
  const reports = async (): Promise<Array<Schema<'Feedback'>>> => (await service.request('/v1/feedback')).body.feedback;
  const chosen = page.locator('.stress input:checked');
  await page.getByRole('button', { name: 'Store report' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Choose the number that the person states.').waitFor();
  expect(await reports()).toEqual([]);
  expect(await page.evaluate('document.activeElement.name')).toBe('stress');
  for (let press = 0; press < 7; press += 1) await page.keyboard.press('ArrowRight');
  expect(await chosen.inputValue()).toBe('7');
  await page.getByLabel('Time of the report').selectOption('The last hour');
  await page.getByLabel('Explained by').selectOption('Poor sleep');
  await page.getByRole('button', { name: 'Store report' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText(`Stored. The score of this time is ${stress_score} (${state.replace('_', ' ')}).`).waitFor();
  const [report, ...others] = await reports();
  expect(others).toEqual([]);
  expect(report).toMatchObject({ session_id: 'shown', stress: 7, duration_seconds: 3600, note_code: 'poor_sleep' });
  expect(report?.published).toMatchObject({ stress_score, readings: 1 });
  expect(await chosen.count()).toBe(0);
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Store report');
  await page.keyboard.press('Enter');
  await page.getByText('Choose the number').waitFor();
  expect(await reports()).toHaveLength(1);
  expect(complaints).toEqual([]);
});

test('a report about a person appears in the agreement, and one without a score says so', async () => {
  const service = await start();
  await service.read({ subject_id: 'anna', tone: 'tense', timestamp: service.clock.at(-100) });
  const { page } = await openDashboard(service, 'subjects/anna');
  await expect.poll(() => line(page)).toBe('No reports yet.');
  expect(await page.locator('.agreement').innerText()).toMatch(/^Store a report/);
  await page.getByRole('radio', { name: '0', exact: true }).check();
  await page.getByRole('button', { name: 'Store report' }).click();
  await page.getByText(/^Stored\. The score of this time is \d+/).waitFor();
  await expect.poll(() => line(page)).toMatch(/^Too few to tell: 1 report of 1 day, 1 with a score of model \d+$/);
  await page.getByText('0 of at least 5 of them with a stress of 5 or more').waitFor();
  const { body } = await service.request('/v1/feedback');
  expect(body.feedback).toMatchObject([{ subject_id: 'anna', stress: 0 }]);
  expect(Object.keys(body.feedback[0])).not.toContain('duration_seconds');
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  await page.getByRole('radio', { name: '9', exact: true }).check();
  await page.getByRole('button', { name: 'Store report' }).click();
  await page.getByText(/^Not stored\. /).waitFor();
  expect(await page.locator('.stress input:checked').inputValue()).toBe('9');
});

test('a report about a session whose readings are too old says that no score was published', async () => {
  const clock = new Clock();
  clock.advance(-3_600);
  const service = await startTestService({ clock });
  await service.read({ session_id: 'past', tone: 'tense' });
  clock.nowMs = Date.now();
  const { page } = await openDashboard(service, 'sessions/past');
  await page.getByText(/^Ended 1 h ago$|^Ended 59 min ago$/).waitFor();
  await page.getByRole('radio', { name: '3', exact: true }).check();
  await page.getByRole('button', { name: 'Store report' }).click();
  await page.getByText('Stored. No score was published for this time').waitFor();
});

/** Returns the service with a key that has only these scopes, and with one that has all. */
async function startWithScopes(scopes: readonly Scope[]) {
  const service = await start();
  const account = `scoped-${randomUUID()}`;
  const create = async (granted?: readonly Scope[]) =>
    (
      await createKey(
        service.store.use(createKeyTable),
        { account, ...(granted && { scopes: [...granted] }) },
        Date.now(),
      )
    ).key;
  const { key, limited } = { key: await create(), limited: await create(scopes) };
  return { url: service.url, key: limited, ...client(service.url, key, service.clock) };
}

test('a key without the scope feedback reads the agreement, and its report is rejected with the missing scope', async () => {
  const service = await startWithScopes(['read']);
  await service.read({ session_id: 'shown', subject_id: 'anna', tone: 'tense' });
  const { page } = await openDashboard(service, 'people');
  await expect.poll(() => line(page)).toBe('No reports yet.');
  for (const fragment of ['#/sessions/shown', '#/subjects/anna']) {
    await page.goto(`${service.url}/dashboard/${fragment}`);
    await page.getByRole('radio', { name: '7', exact: true }).check();
    await page.getByRole('button', { name: 'Store report' }).click();
    await page.getByText(/^Not stored\. .* lacks the scope "feedback"/).waitFor();
  }
  expect((await service.request('/v1/feedback')).body.feedback).toEqual([]);
});

test('for a key without the scope read, every page names the missing scope and none claims that the service does not respond', async () => {
  const service = await startWithScopes(['feedback']);
  await service.read({ session_id: 'shown', subject_id: 'anna', tone: 'tense' });
  const { page } = await openBrowser(service.url);
  await page.goto(`${service.url}/dashboard/#key=${service.key}`);
  const banner = page.locator('[data-contact]');
  const missing = /lacks the scope "read"/;
  await expect.poll(() => banner.innerText()).toMatch(missing);
  await page.getByText('Not live', { exact: true }).waitFor();
  await expect.poll(() => page.locator('.sessions [role=alert]').innerText()).toMatch(missing);
  await page.goto(`${service.url}/dashboard/#/people`);
  await expect.poll(() => line(page)).toMatch(missing);
  for (const fragment of ['#/sessions/shown', '#/subjects/anna']) {
    await page.goto(`${service.url}/dashboard/${fragment}`);
    // The card of a phone may say it, too.
    await page.locator('main .notice').filter({ hasText: missing }).first().waitFor();
  }
  expect(await banner.innerText()).toMatch(missing);
  expect(await page.getByText('No contact').count()).toBe(0);
  expect(await flawsInLightAndDark(page)).toEqual([]);
});
