import { createFeedbackWriter } from '../../src/store/feedback.js';
import { expect, test } from '../../testkit/test.js';

test('the pages contain every report once, newest first, also if times are equal', async ({ service }) => {
  await service.read({ subject_id: 'p', heart_rate: 70 });
  const count = 1_003;
  await service.store.transact(async (scopeOf) => {
    const feedback = createFeedbackWriter(scopeOf(service.accountId));
    const recordedAtMs = service.clock.nowMs;
    for (let index = 0; index < count; index += 1) {
      const report = { id: `fb_${String(index).padStart(20, '0')}`, stress: 5, recordedAtMs };
      const owner = { subject_id: index % 2 ? 'p' : 'q' };
      await feedback.add({ ...report, timestampMs: recordedAtMs - Math.floor(index / 10) }, owner);
    }
  });
  const readAll = async (query: string) => {
    const found: Array<{ id: string; timestamp: string; subject_id: string }> = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const path = `/v1/feedback?${query}${cursor && `&cursor=${cursor}`}`;
      const { body } = await service.request(path.replace('?&', '?').replace(/\?$/, ''));
      found.push(...body.feedback);
      cursor = body.next_cursor;
    }
    return found;
  };
  const all = await readAll('');
  expect(new Set(all.map(({ id }) => id)).size).toBe(count);
  expect(all).toHaveLength(count);
  expect(all.map(({ timestamp }) => timestamp)).toEqual(
    all
      .map(({ timestamp }) => timestamp)
      .sort()
      .reverse(),
  );
  const own = await readAll('subject_id=p');
  expect(own).toHaveLength(501);
  expect(new Set(own.map(({ subject_id }) => subject_id))).toEqual(new Set(['p']));
});
