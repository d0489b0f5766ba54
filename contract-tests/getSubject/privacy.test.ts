import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

const marker = 'xylophone-quokka-marker';

test('no word of a message is in a profile or in the log', async () => {
  const { read, request, logs } = await startTestService({});
  const turn = {
    user_message: `My exam is tomorrow and I am so worried about it, ${marker}`,
    ai_response: `Good luck, ${marker}`,
  };
  const { topics_detected } = await read({ subject_id: 'anna', heart_rate: 90, source_device: 'strap', ...turn });
  expect(topics_detected).toEqual(['exams']);
  const { body } = await request('/v1/subjects/anna');
  expect(body.baseline.heart_rate.latest.bpm).toBe(90);
  for (const text of [JSON.stringify(body), logs.join('')]) expect(text).not.toContain(marker);
});
