import { startTestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';

const marker = 'xylophone-quokka-marker';

test('no word of a message is stored, logged or returned, whether the reading is accepted or rejected', async () => {
  const { ingest, request, database, logs } = await startTestService({});
  const turn = {
    user_message: `My exam is tomorrow and I am so worried about it, ${marker}`,
    ai_response: `Good luck, ${marker}`,
  };
  const answers = [
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn }),
    await ingest({ heart_rate: 90, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 'x', ...turn }),
    await ingest({ subject_id: 'anna', ...turn }),
    await ingest({ subject_id: 'bert', heart_rate: 91, ...turn }),
    await ingest({ subject_id: 'anna', heart_rate: 90, ...turn, user_message: [marker] }),
    await request('/v1/state?session_id=s1'),
    await request('/v1/history?session_id=s1'),
    await request('/v1/triggers?subject_id=anna'),
    await request('/v1/subjects/anna'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 422, 400, 422, 422, 200, 200, 200, 200]);
  const stored = await everythingStored(database);
  expect(stored).toContain('exams');
  for (const text of [stored, logs.join(''), JSON.stringify(answers.map(({ body }) => body))])
    expect(text.includes(marker)).toBe(false);
});

test('the privacy check detects a stored text', async ({ ownService: { read, database } }) => {
  await read({ session_id: marker, heart_rate: 70 });
  expect(await everythingStored(database)).toContain(marker);
});
