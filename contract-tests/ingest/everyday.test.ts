import { expect, test } from 'vitest';
import { claims } from '../../scripts/evaluate/support/everyday-claims.js';
import { playClaim } from '../../scripts/evaluate/support/play-claim.js';
import { startTestService } from '../support/service.js';

const seeds = [1, 2, 3];
const timeout = 120_000;

test.each(claims)('$stream: $expected', { timeout }, async (claim) => {
  const service = await startTestService();
  const { clock } = service;
  const player = { now: clock.now, advance: (seconds: number) => clock.advance(seconds), send: service.read };
  for (const [index, responses] of (await playClaim(player, claim, seeds)).entries())
    expect(claim.holds(responses), `seed ${seeds[index]}: ${JSON.stringify(responses.slice(-2))}`).toBe(true);
});

test('a hostile voice with positive words has less confidence than with negative words', async () => {
  const service = await startTestService();
  const confidenceWith = async (sentiment: number) =>
    (await service.read({ session_id: `words${sentiment}`, tone: 'hostile', sentiment })).confidence;
  expect(await confidenceWith(0.8)).toBeLessThan((await confidenceWith(-0.8)) - 0.1);
});

test('RMSSD alone is a signal; activity and steps alone are missing signals', async () => {
  const service = await startTestService();
  const alone = await service.read({ session_id: 'variability', rmssd: 30 });
  expect(alone.signals_received).toEqual(['cardiovascular']);
  const { status, body } = await service.ingest({ activity_level: 'vigorous', steps_last_minute: 140 });
  expect([status, body.code]).toEqual([400, 'missing_signals']);
});

test('the same heart rate is less evidence for stress with steps than without', async () => {
  const service = await startTestService();
  const score = async (session_id: string, steps_last_minute: number) =>
    (await service.read({ session_id, heart_rate: 105, steps_last_minute })).stress_score;
  expect(await score('walking', 110)).toBeLessThan((await score('sitting', 0)) - 10);
});
