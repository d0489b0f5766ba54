import { openStream } from '../../testkit/event-source.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('the response to a reading, its stream event and the state have the same confidence, which falls with its age', async () => {
  const service = await startTestService();
  const confidences: number[] = [];
  for (const seconds of [0, 5, 30, 120, 240]) {
    const session_id = `age-${seconds}`;
    const stream = await openStream(service, { session_id });
    const timestamp = new Date(service.clock.now() - seconds * 1000).toISOString();
    const reading = { session_id, timestamp, heart_rate: 72, sentiment: -0.9 };
    const response = await service.read(reading);
    const [event] = await stream.until(1);
    const state = await service.request(`/v1/state?session_id=${session_id}`);
    expect(event?.data).toEqual(response);
    expect(state.body.confidence).toBe(response.confidence);
    service.clock.advance(10);
    expect(await service.read(reading)).toEqual(response);
    const later = await service.request(`/v1/state?session_id=${session_id}`);
    expect(later.body.confidence).toBeLessThan(response.confidence);
    confidences.push(response.confidence);
  }
  const [fresh = 0, fiveSeconds] = confidences;
  expect(fiveSeconds).toBe(fresh);
  for (const [index, share] of [1, 1, 0.75, 0.26, 0.07].entries())
    expect(confidences[index]).toBeCloseTo(share * fresh, 1);
});

test('a fresh label does not keep the confidence of an old heart rate', async ({ service }) => {
  const { confidence } = await service.read({ session_id: 's1', heart_rate: 110 });
  service.clock.advance(200);
  const next = await service.read({ session_id: 's1', tone: 'neutral' });
  expect(next.confidence).toBeLessThan(confidence - 0.1);
});
