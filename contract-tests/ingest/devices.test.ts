import type { StateReading, Submission } from '../../src/contract/contract.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const seeds = [1, 2];

/** Sends a reading every 15 s and returns the responses. */
async function live(service: TestService, seconds: number, signals: () => Partial<Submission>) {
  const responses: StateReading[] = [];
  for (let at = 0; at < seconds; at += 15) {
    service.clock.advance(15);
    responses.push(await service.read({ session_id: 'monday', subject_id: 'anna', ...signals() }));
  }
  return responses;
}

/** Returns a heart rate at rest and an RMSSD around `rmssd` from a device. */
function resting(random: () => number, rmssd: number, source_device: string) {
  return () => ({ heart_rate: 65 + 4 * random(), rmssd: rmssd * (0.9 + 0.2 * random()), source_device });
}

test.each(seeds)('heart rate variability is compared with values of the same device (seed %i)', async (seed) => {
  const service = await startTestService();
  const random = seededRandom(seed);
  const states = async (seconds: number, rmssd: number, device: string) =>
    new Set((await live(service, seconds, resting(random, rmssd, device))).map(({ state }) => state));
  expect(await states(1200, 25, 'watch')).toEqual(new Set(['relaxed']));
  // A typical value of the strap, but more than twice that of the watch.
  expect(await states(1200, 60, 'strap')).toEqual(new Set(['relaxed']));
  const { devices, rmssd } = (await service.request('/v1/subjects/anna')).body.baseline;
  expect(devices.map(({ source_device }: { source_device: string }) => source_device)).toEqual(['strap', 'watch']);
  expect(devices[0].rmssd).toEqual(rmssd);
  expect(Math.abs(devices[0].rmssd.typical_ms - 60)).toBeLessThan(3);
  expect(Math.abs(devices[1].rmssd.typical_ms - 25)).toBeLessThan(2);
  expect(await states(600, 25, 'watch')).toEqual(new Set(['relaxed']));
  expect(await states(600, 60, 'watch')).toContain('calm');
});

test('a new device starts without a typical variability, and four devices are remembered', async ({ service }) => {
  for (const [index, name] of ['a', 'b', 'c', 'd', 'b', 'e', 'f'].entries()) {
    await live(service, 300, resting(seededRandom(index), 30 + 5 * index, name));
    await live(service, 15, () => ({ heart_rate: 66, rmssd: 80, source_device: `${name}-new` }));
    const { devices } = (await service.request('/v1/subjects/anna')).body.baseline;
    expect(devices[0]).toMatchObject({ source_device: `${name}-new`, rmssd: { own_share: 0, learned_seconds: 0 } });
    expect(devices.length).toBeLessThanOrEqual(4);
  }
  const { devices } = (await service.request('/v1/subjects/anna')).body.baseline;
  expect(devices.map((it: Submission) => it.source_device)).toEqual(['f-new', 'f', 'e-new', 'e']);
});

test.each(seeds)('a new session knows the device of the earlier one (seed %i)', async (seed) => {
  const service = await startTestService();
  const random = seededRandom(seed);
  await live(service, 1200, resting(random, 40, 'watch'));
  for (let minute = 0; minute < 15; minute += 1) {
    const signals = { subject_id: 'anna', heart_rate: 66, rmssd: 40 };
    const kept = await service.read({ ...signals, session_id: 'kept', source_device: 'watch' });
    service.clock.advance(1);
    const changed = await service.read({ ...signals, session_id: 'changed', source_device: 'strap' });
    // The sessions are read a second apart, and the confidence has two decimals.
    if (minute < 10) expect(changed.confidence).toBeLessThanOrEqual(0.7 * (kept.confidence + 0.01));
    else expect(changed.confidence).toBeGreaterThanOrEqual(0.95 * kept.confidence);
    service.clock.advance(59);
  }
});
