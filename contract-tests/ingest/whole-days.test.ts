import { expect, test } from 'vitest';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { startTestService, type TestService } from '../../testkit/service.js';

const seeds = [1, 2];
const timeout = 120_000;
const daySeconds = 86_400;

/** Heart rate of an ordinary day: asleep from 0 to 8 h, then awake with errands. The test clock defines hour 0. */
function ordinaryBpm(random: () => number, seconds: number): number {
  const hour = (seconds / 3600) % 24;
  if (hour < 8) return 54 + 4 * random();
  return 68 + 6 * random() + (Math.floor(hour * 2) % 5 === 0 ? 14 * random() : 0);
}

/** Backfills days until now, one heart rate per two minutes. `bpmAt` gets the seconds since the start. */
async function liveDays(service: TestService, days: number, bpmAt: (seconds: number) => number): Promise<void> {
  const { clock } = service;
  const lines: string[] = [];
  for (let at = 0; at < days * daySeconds; at += 120) {
    const timestamp = clock.at(at - days * daySeconds);
    const signals = { heart_rate: Math.round(bpmAt(at)), backfill: true };
    lines.push(JSON.stringify({ session_id: 'past', subject_id: 'anna', timestamp, ...signals }));
  }
  for (let from = 0; from < lines.length; from += 500) {
    const body = lines.slice(from, from + 500).join('\n');
    // Without a check against the contract, which takes longer than the ingest of 500 lines.
    const response = await fetch(`${service.url}/v1/ingest/batch`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-ndjson', 'X-Service-Key': service.key },
      body,
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
}

/** Sends a heart rate every 15 s and returns the responses. */
async function hold(service: TestService, seconds: number, bpm: () => number, signals: Record<string, unknown> = {}) {
  const responses = [];
  for (let at = 0; at < seconds; at += 15) {
    service.clock.advance(15);
    const heart_rate = Math.round(bpm());
    responses.push(await service.read({ session_id: 'live', subject_id: 'anna', heart_rate, ...signals }));
  }
  return responses;
}

test.each(seeds)(
  'after nine days: no stress while awake, stressed at +25 bpm at rest, no stress 240 s after the rise, calm asleep (seed %i)',
  { timeout },
  async (seed) => {
    const service = await startTestService();
    const random = seededRandom(seed);
    await liveDays(service, 9, (seconds) => ordinaryBpm(random, seconds));
    service.clock.advance(12 * 3600);
    const awake = () => 70 + 3 * random();
    const sitting = await hold(service, 600, awake, { activity_level: 'resting' });
    expect(sitting.every(({ state }) => state === 'relaxed' || state === 'calm')).toBe(true);
    const raised = await hold(service, 600, () => awake() + 25, { activity_level: 'resting' });
    expect(raised.at(-1)?.state).toBe('stressed');
    const returned = await hold(service, 240, awake, { activity_level: 'resting' });
    expect(['relaxed', 'calm']).toContain(returned.at(-1)?.state);
    service.clock.advance(2 * 3600);
    const asleep = await hold(service, 900, () => 54 + 2 * random());
    expect(asleep.at(-1)?.state).toBe('calm');
  },
);

/** Heart rate of a day with wide ordinary rises while awake, except for a quiet half hour at 14 h. */
function busyBpm(random: () => number, seconds: number): number {
  const hour = (seconds / 3600) % 24;
  if (hour < 8) return 54 + 4 * random();
  return hour >= 14 && hour < 14.5 ? 61 + 3 * random() : 74 + 22 * random();
}

test.each(seeds)(
  'after ten days: +25 bpm after ten quiet minutes is stressed within ten minutes, no stress 240 s after the rise, nor with a stated activity (seed %i)',
  { timeout },
  async (seed) => {
    const service = await startTestService();
    const random = seededRandom(seed);
    await liveDays(service, 10, (seconds) => busyBpm(random, seconds));
    service.clock.advance(14 * 3600);
    const quiet = () => 61 + 3 * random();
    const last = async (...held: Parameters<typeof hold>) => (await hold(...held)).at(-1);
    expect(['relaxed', 'calm']).toContain((await last(service, 600, quiet))?.state);
    const raised = await last(service, 600, () => quiet() + 25);
    expect(raised?.state).toBe('stressed');
    expect(raised?.action_reason).toMatch(
      /^Heart rate 2[3-7] bpm above the mean of the last 10 quiet minutes; the cause is unknown: /,
    );
    expect(['relaxed', 'calm']).toContain((await last(service, 240, quiet))?.state);
    service.clock.advance(3600);
    await hold(service, 600, quiet);
    const active = await last(service, 600, () => quiet() + 25, { activity_level: 'light' });
    expect(['relaxed', 'calm']).toContain(active?.state);
  },
);

test.each(seeds)('an hour of stress each day does not become normal (seed %i)', { timeout }, async (seed) => {
  const service = await startTestService();
  const random = seededRandom(seed);
  const isStressHour = (seconds: number) => Math.floor((seconds / 3600) % 24) === 12;
  await liveDays(service, 9, (seconds) => ordinaryBpm(random, seconds) + (isStressHour(seconds) ? 25 : 0));
  service.clock.advance(12 * 3600);
  await hold(service, 600, () => 70 + 3 * random());
  const hour = await hold(service, 3600, () => 95 + 3 * random());
  const stressed = hour.slice(40).filter(({ state }) => state === 'stressed');
  expect(stressed.length).toBeGreaterThan(0.9 * (hour.length - 40));
});

test.each([70, 80])('a very high heart rate (+%i bpm) at stated rest is stressed without movement', async (rise) => {
  const service = await startTestService();
  await hold(service, 1200, () => 62, { activity_level: 'resting' });
  const rest = { activity_level: 'resting', steps_last_minute: 0 };
  const last = (await hold(service, 300, () => 62 + rise, rest)).at(-1);
  expect(['stressed', 'acute_stress']).toContain(last?.state);
  expect(last?.action_reason).not.toMatch(/movement/i);
});

test.each([70, 80])('without a statement, +%i bpm is at least focused, with a low confidence', async (rise) => {
  const service = await startTestService();
  await hold(service, 1200, () => 62);
  const last = (await hold(service, 300, () => 62 + rise)).at(-1);
  expect(['focused', 'stressed', 'acute_stress']).toContain(last?.state);
  expect(last?.confidence).toBeLessThan(0.5);
});
