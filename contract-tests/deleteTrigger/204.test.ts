import type { Schema } from '../../src/contract/contract.js';
import type { TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const harsh = { heart_rate: 118, tone: 'hostile', sentiment: -0.9 } as const;
const messages = {
  exams: 'My exam is tomorrow and I am so worried that I will fail it',
  debt: "I can't pay my credit card debt and it keeps me worried",
};

async function talk({ read, clock }: TestService, topic: keyof typeof messages, subject_id = 'anna') {
  clock.advance(60 * 60);
  const turn = { user_message: messages[topic], ai_response: 'I understand.' };
  return read({ session_id: `${subject_id}-${clock.nowMs}`, subject_id, ...harsh, ...turn });
}

const remove = ({ request }: TestService, topic: string, subject_id = 'anna') =>
  request(`/v1/subjects/${subject_id}/triggers/${topic}`, { method: 'DELETE' });

const profileOf = async ({ request }: TestService, subject_id = 'anna') =>
  (await request(`/v1/triggers?subject_id=${subject_id}`)).body;

test('a removed topic is in no response, and the other topics and people keep theirs', async ({ service }) => {
  for (const topic of ['exams', 'debt', 'exams', 'debt'] as const) {
    await talk(service, topic);
    await talk(service, topic, 'berta');
  }
  const before = await profileOf(service);
  expect((await remove(service, 'exams')).status).toBe(204);
  const after = await profileOf(service);
  expect(after).toEqual({ ...before, triggers: { debt: before.triggers.debt }, active: ['debt'] });
  expect(await profileOf(service, 'berta')).toMatchObject({ active: ['debt', 'exams'] });
  expect((await talk(service, 'debt')).active_triggers).toEqual(['debt']);
});

test('a removed topic starts anew with its next sighting', async ({ service }) => {
  for (let turn = 0; turn < 3; turn++) await talk(service, 'exams');
  await remove(service, 'exams');
  await talk(service, 'exams');
  expect((await profileOf(service)).triggers.exams).toMatchObject({ sessions: 1 });
});

test('the accesses of the person name the removal', async ({ service }) => {
  await talk(service, 'exams');
  await remove(service, 'exams');
  const find = async () =>
    (await service.request('/v1/subjects/anna/accesses')).body.accesses.find(
      ({ operation }: Schema<'Access'>) => operation === 'deleteTrigger',
    );
  await until('the entry', async () => (await find()) !== undefined);
  expect((await find()).action).toBe('erase');
});
