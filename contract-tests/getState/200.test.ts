import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('the state is that of the newest reading, and its confidence falls with its age', async () => {
  const { read, request, clock } = await startTestService();
  const { confidence, action_reason, recommendation, suggested_action, ...sent } = await read({
    heart_rate: 112,
    tone: 'hostile',
    sentiment: -0.7,
  });
  const ages = [0, 60, 239, 1, 20 * 3600];
  const confidences: number[] = [];
  for (const seconds of ages) {
    clock.advance(seconds);
    const { confidence: later, contributions, without, ...rest } = (await request('/v1/state?session_id=s1')).body;
    const advice = { action_reason, recommendation, suggested_action };
    const none = {
      action_reason: 'No usable signal: none of the last 5 minutes counts.',
      suggested_action: 'maintain_engagement',
    };
    expect(rest).toEqual({ ...sent, ...(later > 0 ? advice : none) });
    expect(contributions).toMatchObject({ neutral: 33, held: 0 });
    expect(Object.keys(without ?? {}).toSorted()).toEqual(later === 0 ? [] : ['cardiovascular', 'textual', 'vocal']);
    confidences.push(later);
  }
  const [now = 0, minute = 0, almostStale = 0, ...stale] = confidences;
  expect(now).toBe(confidence);
  expect(minute).toBeCloseTo(confidence / 2, 1);
  expect(almostStale).toBeGreaterThan(0);
  expect(stale).toEqual([0, 0]);
});

test.each([1, 2])(
  'for 10 minutes after the device changes, the confidence is at most 0.7 × that of the same device (seed %i)',
  async (seed) => {
    const { read, clock } = await startTestService();
    const random = seededRandom(seed);
    for (let second = 0; second < 1500; second += 60) {
      const signals = { heart_rate: 66 + 4 * random(), timestamp: clock.at() };
      // A microphone measures no heart data, so its name does not change the device.
      for (const session_id of ['kept', 'changed'])
        await read({ session_id, timestamp: clock.at(), tone: 'neutral', source_device: 'microphone' });
      const kept = await read({ ...signals, session_id: 'kept', source_device: 'watch' });
      const source_device = second < 600 ? 'watch' : 'strap';
      const changed = await read({ ...signals, session_id: 'changed', source_device });
      const isRecent = second >= 600 && second < 1200;
      if (isRecent) expect(changed.confidence).toBeLessThanOrEqual(0.7 * kept.confidence);
      else expect(changed.confidence).toBeGreaterThanOrEqual(kept.confidence);
      clock.advance(60);
    }
  },
);

test('HEAD gets the headers of GET without a body', async ({ service: { read, request } }) => {
  await read({ heart_rate: 70 });
  const head = await request('/v1/state?session_id=s1', { method: 'HEAD' });
  expect(head.status).toBe(200);
  expect(head.body).toBeUndefined();
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100);
});

test('a session_id with an unencoded colon and slash is accepted', async ({ service: { read, request } }) => {
  await read({ session_id: 'app:user/7', heart_rate: 70 });
  expect((await request('/v1/state?session_id=app:user/7')).body.session_id).toBe('app:user/7');
});
