import { findQuietEnd } from '../../src/alerts/quiet.js';
import type { StoredAlertRule } from '../../src/store/alerts.js';
import { alertsOf, createRule, evaluateNow, storeHours, stress, stressAll } from '../../testkit/alerts.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const hourSeconds = 3_600;
const calm = { heart_rate: 60, tone: 'calm', expression: 'relaxed', sentiment: 0.9 } as const;

const fire = evaluateNow;

test('a person who is stressed for the minutes of a rule alerts, and the body contains no value of a signal', async () => {
  const service = await startTestService({});
  const alert_id = await createRule(service, { condition: 'stressed', minutes: 3, subject_ids: ['anna'] });
  await stress(service, 'anna', 2);
  expect(await fire(service)).toBe(0);
  service.clock.advance(60);
  await stress(service, 'anna', 0);
  // The newest score counts for 300 s.
  service.clock.advance(300);
  expect(await fire(service)).toBe(1);
  expect(await alertsOf(service)()).toEqual([
    { event: 'alert', alert_id, subject_id: 'anna', condition: 'stressed', timestamp: service.clock.at() },
  ]);
});

test('a duration may have more readings than one page of the database', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 5 });
  service.clock.advance(300);
  await stressAll(service, ...Array.from({ length: 301 }, (_, second) => ['anna', 300 - second] as const));
  expect(await fire(service)).toBe(1);
});

test('a lasting stress alerts once an hour', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 1 });
  const fired = [];
  for (let minutes = 0; minutes < 125; minutes += 5) {
    await stress(service, 'anna', 5);
    fired.push(await fire(service));
  }
  expect(fired.filter(Boolean)).toEqual([1, 1, 1]);
  expect(fired.slice(0, 13)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
});

test('a single reading, a gap of more than 300 s and a calm or unread message between are no duration', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed', minutes: 4 });
  await stress(service, 'unread', 5);
  service.clock.advance(300);
  const unread = { user_message: 'Ich kann seit Tagen nicht schlafen', derive_sentiment: true };
  expect(await service.read({ session_id: 'of-unread', ...unread })).toMatchObject({
    state: 'acute_stress',
    confidence: 0,
  });
  expect(await fire(service)).toBe(0);
  await stress(service, 'single', 0);
  await stress(service, 'gap', 0);
  await stress(service, 'calmed', 2);
  await service.read({ session_id: 'other', subject_id: 'calmed', ...calm });
  service.clock.advance(240);
  expect(await fire(service)).toBe(0);
  service.clock.advance(61);
  await stress(service, 'gap', 0);
  await stress(service, 'calmed', 0);
  expect(await fire(service)).toBe(0);
});

test('a late reading before the first stressed one completes the duration at once', async ({ ownService: service }) => {
  await createRule(service, { condition: 'stressed', minutes: 3 });
  service.clock.advance(60);
  const timestamp = service.clock.at(-60);
  await stress(service, 'anna', 2);
  expect(await fire(service)).toBe(0);
  service.clock.advance(1);
  await service.read({
    session_id: 'late',
    subject_id: 'anna',
    timestamp,
    heart_rate: 130,
    tone: 'hostile',
    sentiment: -0.9,
  });
  expect(await fire(service)).toBe(1);
});

test('stress in several sessions of a person is one duration, and sessions without a person alert nobody', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'stressed', minutes: 4 });
  const hostile = { heart_rate: 130, tone: 'hostile', sentiment: -0.9, expression: 'tense' } as const;
  for (let minute = 0; minute <= 5; minute += 1) {
    await service.read({ session_id: `s${minute}`, subject_id: 'anna', ...hostile });
    await service.read({ session_id: 'nobody', ...hostile });
    service.clock.advance(60);
  }
  expect(await fire(service)).toBe(1);
});

test('a person above the own usual level alerts from seven days on, and one whose usual level is high does not', async () => {
  const service = await startTestService({});
  // Within one block of hours.
  service.clock.advance(hourSeconds + 600 - ((service.clock.nowMs / 1000) % hourSeconds));
  await createRule(service, { condition: 'above_usual', minutes: 2 });
  await storeHours(service, 'six-days', 6, 20);
  await storeHours(service, 'seven-days', 7, 20);
  await storeHours(service, 'always-high', 28, 100);
  for (let minute = 0; minute <= 2; minute += 1) {
    for (const it of ['six-days', 'seven-days', 'always-high']) await stress(service, it, 0);
    service.clock.advance(60);
  }
  await fire(service);
  expect((await alertsOf(service)()).map(({ subject_id }) => subject_id)).toEqual(['seven-days']);
});

test('a lasting score alerts when a block of hours begins in which it is above the usual level', async () => {
  const service = await startTestService({});
  service.clock.advance(4 * hourSeconds - 300 - ((service.clock.nowMs / 1000) % (4 * hourSeconds)));
  await createRule(service, { condition: 'above_usual', minutes: 2 });
  await storeHours(service, 'anna', 7, 100);
  await storeHours(service, 'anna', 7, 20, service.clock.nowMs + 600_000);
  await stress(service, 'anna', 3);
  expect(await fire(service)).toBe(0);
  service.clock.advance(119);
  expect(await fire(service)).toBe(1);
});

test('no data alerts once, again after the next data, and not for a person without any', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'no_data', hours: 2, subject_ids: ['anna', 'never'] });
  const fired = [];
  for (const seconds of [7_199, 1, hourSeconds, 30 * hourSeconds]) {
    if (fired.length === 0) await stress(service, 'anna', 0);
    service.clock.advance(seconds);
    fired.push(await fire(service));
  }
  expect(fired).toEqual([0, 1, 0, 0]);
  await stress(service, 'anna', 0);
  service.clock.advance(2 * hourSeconds);
  expect(await fire(service)).toBe(1);
});

test('a person without data for longer than a day more than the rule says does not alert', async () => {
  const service = await startTestService({});
  await createRule(service, { condition: 'no_data', hours: 2 });
  await stress(service, 'longer', 0);
  service.clock.advance(0.001);
  await stress(service, 'a-day', 0);
  service.clock.advance(26 * hourSeconds);
  await fire(service);
  expect((await alertsOf(service)()).map(({ subject_id }) => subject_id)).toEqual(['a-day']);
});

test('a topic that becomes active alerts once', async ({ ownService: service }) => {
  await createRule(service, { condition: 'trigger_active' });
  const turn = { user_message: 'I am so worried about my exams', ai_response: 'Tell me more.' };
  const hostile = { heart_rate: 130, tone: 'hostile', sentiment: -0.9 } as const;
  await stress(service, 'anna', 0);
  expect(await fire(service)).toBe(0);
  const fired = [];
  for (let minute = 0; minute < 3; minute += 1) {
    await service.read({ session_id: 's', subject_id: 'anna', ...hostile, ...turn });
    fired.push(await fire(service));
    service.clock.advance(60);
  }
  expect(fired).toEqual([1, 0, 0]);
  // A turn of before the firing arrives after it.
  service.clock.advance(1);
  const late = { ...turn, user_message: 'I am so afraid of losing my job', timestamp: service.clock.at(-60) };
  await service.read({ session_id: 'late', subject_id: 'anna', ...hostile, expression: 'tense', ...late });
  service.clock.advance(2 * hourSeconds);
  expect(await fire(service)).toBe(1);
  service.clock.advance(2 * hourSeconds);
  expect(await fire(service)).toBe(0);
});

test('quiet hours delay: what is still true at their end fires then, and what is over does not', async () => {
  const service = await startTestService({});
  // Quiet hours begin and end with a minute.
  service.clock.advance(60 - ((service.clock.nowMs / 1000) % 60));
  const time = (seconds: number) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kathmandu', hour: '2-digit', minute: '2-digit' }).format(
      service.clock.nowMs + seconds * 1000,
    );
  const quiet_hours = { from: time(-60), to: time(3 * hourSeconds), time_zone: 'Asia/Kathmandu' };
  await createRule(service, { condition: 'no_data', hours: 1, quiet_hours });
  for (const it of ['silent', 'back']) await stress(service, it, 0);
  service.clock.advance(2 * hourSeconds);
  expect(await fire(service)).toBe(0);
  await stress(service, 'back', 0);
  service.clock.advance(hourSeconds - 60);
  expect(await fire(service)).toBe(0);
  service.clock.advance(60);
  await stress(service, 'back', 0);
  await fire(service);
  expect((await alertsOf(service)()).map(({ subject_id }) => subject_id)).toEqual(['silent']);
});

test('quiet hours end at their local time, also on the nights in which summer time begins and ends', () => {
  const quietHours = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };
  const endOf = (at: string) => findQuietEnd({ quietHours } as StoredAlertRule, Date.parse(at));
  for (const [at, end] of [
    ['2026-01-10T21:30:20Z', '2026-01-11T06:00:00Z'],
    ['2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
    // An hour early: the hours are still quiet then, and their end is found.
    ['2026-10-24T22:00:00Z', '2026-10-25T05:00:00Z'],
    ['2026-10-25T05:00:00Z', '2026-10-25T06:00:00Z'],
  ] as const)
    expect(endOf(at)).toBe(Date.parse(end));
  expect(endOf('2026-01-10T20:59:59Z')).toBeUndefined();
});
