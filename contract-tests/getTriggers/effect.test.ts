import { batchResults } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const subject_id = 'anna';
const messages = {
  exams: 'My exam is tomorrow and I am so worried that I will fail it',
  debt: "I can't pay my credit card debt and it keeps me worried",
  essay: "I'm worried that my essay is not good enough",
  smallTalk: 'What a nice day',
};

/** Sends a turn of the chat, and the next five minutes of a watch in another session. Returns what each minute activates. */
async function talk(
  service: TestService,
  message: keyof typeof messages,
  { bpm, subject = subject_id }: { readonly bpm: number; readonly subject?: string },
): Promise<unknown[]> {
  const { read, clock } = service;
  const watch = async (heart_rate: number) => {
    const of = { session_id: `watch-${subject}`, subject_id: subject, heart_rate };
    const lines = [4, 3, 2, 1, 0].map((minutes) => ({ ...of, timestamp: clock.at(-60 * minutes) }));
    return (await batchResults(service, lines)).map(({ state }) => state?.active_triggers);
  };
  const chat = { session_id: `chat-${subject}-${Math.floor(clock.nowMs / 3_600_000)}`, expression: 'neutral' } as const;
  const turn = { user_message: messages[message], ai_response: 'I understand.' };
  clock.advance(240);
  await watch(68);
  clock.advance(60);
  await read({ ...chat, ...turn, subject_id: subject, timestamp: clock.at() });
  clock.advance(300);
  const active = await watch(bpm);
  clock.advance(50 * 60);
  return active;
}

const profileOf = async ({ request }: TestService, subject = subject_id) =>
  (await request(`/v1/triggers?subject_id=${subject}`)).body;

test('from ten other turns on, the topic that the heart rate of a watch follows is active, with its effect', async () => {
  const service = await startTestService();
  for (let turn = 0; turn < 5; turn++) {
    await talk(service, 'smallTalk', { bpm: 69 });
    await talk(service, 'debt', { bpm: 67 });
    expect((await profileOf(service)).triggers.debt).not.toHaveProperty('effect');
  }
  for (let turn = 0; turn < 2; turn++) await talk(service, 'smallTalk', { bpm: 68 });
  for (let turn = 0; turn < 4; turn++) await talk(service, 'exams', { bpm: 92 });
  const { active, triggers } = await profileOf(service);
  expect(active).toEqual(['exams']);
  expect(triggers.exams.effect).toBeGreaterThan(5);
  expect(triggers.exams.evidence).toBe('moderate');
  expect(triggers.exams.peak_stress).toBeGreaterThan(50);
  expect(triggers.debt.effect).toBeLessThan(1);
  expect(triggers.debt.evidence).toBe('weak');
});

test('the heart rate of another person has no effect', async ({ service }) => {
  for (let turn = 0; turn < 10; turn++) await talk(service, 'smallTalk', { bpm: 68 });
  for (let turn = 0; turn < 2; turn++) {
    await talk(service, 'exams', { bpm: 68 });
    await talk(service, 'smallTalk', { bpm: 95, subject: 'berta' });
  }
  const { active, triggers } = await profileOf(service);
  expect(active).toEqual([]);
  expect(triggers.exams.evidence).toBe('weak');
  const later = [];
  for (let turn = 0; turn < 4; turn++) later.push(...(await talk(service, 'exams', { bpm: 110 })).slice(1, 3));
  expect(later.slice(0, 2), 'one rise is no pattern').toEqual([[], []]);
  expect(later.slice(6)).toEqual([['exams'], ['exams']]);
});

test('a topic is resolved by turns about its area over two days that no rise follows', async () => {
  const service = await startTestService();
  for (let turn = 0; turn < 10; turn++) await talk(service, 'smallTalk', { bpm: 68 });
  for (let turn = 0; turn < 4; turn++) await talk(service, 'exams', { bpm: 92 });
  const resolvedAfter = async (...turns: ReadonlyArray<readonly [keyof typeof messages, number]>) => {
    for (const [message, bpm] of turns) await talk(service, message, { bpm });
    return (await profileOf(service)).resolved;
  };
  expect(await resolvedAfter(['exams', 68], ['essay', 68], ['essay', 92])).toEqual([]);
  service.clock.advance(48 * 3600);
  expect(await resolvedAfter(['exams', 68], ['debt', 68])).toEqual([]);
  service.clock.advance(48 * 3600);
  expect(await resolvedAfter(['debt', 68])).toEqual([]);
  expect(await resolvedAfter(['essay', 68])).toEqual(['exams']);
});
