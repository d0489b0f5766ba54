import { expect, test } from 'vitest';
import type { StateReading } from '../../src/contract/contract.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { startTestService, type TestService } from '../../testkit/service.js';

const seeds = [1, 2];
const timeout = 120_000;
const unlike = /no longer look like those of this person/;

/** Sends a heart rate every minute and returns the responses. */
async function wear(service: TestService, minutes: number, bpm: () => number, source_device: string) {
  const responses: StateReading[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    service.clock.advance(60);
    const heart_rate = Math.round(bpm());
    responses.push(await service.read({ session_id: 'live', subject_id: 'anna', heart_rate, source_device }));
  }
  return responses;
}

const cases = seeds.flatMap((seed) => ['watch', 'other watch'].map((device) => ({ seed, device })));

test.each(cases)(
  'a lasting stressed state has a low confidence, and after a change of the device its reason names another person ($device, seed $seed)',
  { timeout },
  async ({ seed, device }) => {
    const service = await startTestService();
    const random = seededRandom(seed);
    await wear(service, 180, () => 53 + 4 * random(), 'watch');
    const raised = await wear(service, 20, () => 78 + 4 * random(), 'watch');
    const usual = raised.at(-1) as StateReading;
    expect(usual.state).toBe('stressed');
    expect(usual.action_reason).not.toMatch(unlike);
    await wear(service, 60, () => 53 + 4 * random(), 'watch');
    const other = await wear(service, 120, () => 78 + 4 * random(), device);
    for (const { state, confidence } of other.slice(35))
      if (state === 'stressed') expect(confidence).toBeLessThanOrEqual(0.6 * usual.confidence);
    const named = other.filter(({ action_reason }) => unlike.test(action_reason));
    expect(named.every((it) => other.slice(29, 62).includes(it))).toBe(true);
    expect(named.length > 20).toBe(device !== 'watch');
    if (device === 'watch') expect(named).toEqual([]);
    expect(other[35]?.state).toBe('stressed');
    const returned = (await wear(service, 20, () => 53 + 4 * random(), 'watch')).at(-1);
    expect(returned?.state).not.toBe('stressed');
    expect(returned?.action_reason).not.toMatch(unlike);
  },
);
