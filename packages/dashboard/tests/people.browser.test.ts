import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openBrowser, phone } from '../../../testkit/browser.js';
import { Clock, startTestService, type TestService } from '../../../testkit/service.js';

const turn = { user_message: 'I am worried that I will lose my job.', ai_response: 'Tell me more about it.' };
const eventually = <Value>(read: () => Value) => expect.poll(read);
const start = () => startTestService({ clock: Object.assign(new Clock(), { now: Date.now }) });

async function open({ url, key }: TestService, page: Page, fragment: string) {
  await page.goto(`${url}/dashboard/#key=${key}`);
  await page.locator('.live.connected').waitFor({ state: 'attached' });
  await page.goto(`${url}/dashboard/${fragment}`);
}

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
  const { page, complaints } = await openBrowser(service.url);
  await open(service, page, '#/');
  await page.getByRole('link', { name: 'People' }).click();
  const row = page.locator('.rows li').filter({ hasText: 'anna' });
  await eventually(() => row.innerText()).toMatch(
    /tress(ed)? since \d\d:\d\d.*\s+2 min ago\s+\d min of stress\s+job loss$/,
  );
  await eventually(() => page.locator('.rows li').filter({ hasText: 'ben' }).innerText()).toMatch(
    /Ended · \w+\s+5 min ago\s+0 min of stress\s+–$/,
  );
  const ids = page.locator('.rows .name');
  // Those whose session has ended are last.
  expect(await ids.allInnerTexts()).toEqual(['anna', 'ben']);
  await service.read({ session_id: 'call', subject_id: 'cleo', timestamp: ago(0), heart_rate: 62, tone: 'calm' });
  await eventually(() => ids.allInnerTexts()).toEqual(['anna', 'cleo', 'ben']);
  await sendBoth(service, 150, 'hostile');
  await eventually(() => row.innerText()).toMatch(/now|\d s ago/);
  await page.setViewportSize(phone);
  expect(await page.evaluate(cutOff)).toEqual([]);
  expect(await row.innerText()).toMatch(/anna[^]*tress(ed)?[^]*(now|\d s ago)[^]*of stress\s+job loss/);
  await row.click();
  await eventually(() => page.locator('h1').innerText()).toBe('anna');
  expect(complaints).toEqual([]);
});

test('the page of a person follows all sessions of the person, and names the session that sent each signal', async () => {
  const service = await start();
  await sendBoth(service, 60, 'calm');
  const { page, complaints } = await openBrowser(service.url);
  await open(service, page, '#/subjects/anna');
  const { body } = await service.request('/v1/state?subject_id=anna');
  expect(body.shared_signals).toMatchObject([{ signal: 'heart_rate', session_id: 'watch' }]);
  await eventually(() => page.locator('.now .score').innerText()).toBe(String(body.stress_score));
  const sources = async () =>
    (await page.locator('.now .signals li').allInnerTexts()).map((it) => it.split('\n')[0]?.trim());
  await eventually(sources).toEqual(['Heart rate 60 bpm from watch', 'Tone calm from chat']);
  await sendBoth(service, 170, 'hostile');
  await eventually(sources).toEqual(['Heart rate 170 bpm from watch', 'Tone hostile from chat']);
  const state = (await service.request('/v1/state?subject_id=anna')).body;
  await eventually(() => page.locator('.now .score').innerText()).toBe(String(state.stress_score));
  expect(complaints).toEqual([]);
});
