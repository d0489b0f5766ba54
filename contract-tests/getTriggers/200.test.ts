import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const subject_id = 'anna';
/** Signals with the typical resting heart rate of the population, so that only the words change the score. */
const mild = { heart_rate: 72, sentiment: 0.1 };
const harsh = { heart_rate: 118, tone: 'hostile', sentiment: -0.9 } as const;
const calm = { heart_rate: 58, tone: 'calm', sentiment: 0.9 } as const;
const review = { user_message: 'My performance review is next week', ai_response: 'How do you feel about it?' };

/** Sends one reading with a conversation turn about the review, in a new session. Returns its score. */
async function talk(service: TestService, session_id: string, signals: object): Promise<number> {
  service.clock.advance(24 * 60 * 60);
  const reading = await service.read({ session_id, subject_id, ...signals, ...review });
  expect(reading.topics_detected).toEqual(['work_performance']);
  return reading.stress_score;
}

const profileOf = async ({ request }: TestService) => (await request(`/v1/triggers?subject_id=${subject_id}`)).body;

test('a trigger is observed, then active, then resolved, and active again after a new stressed turn', async () => {
  const service = await startTestService();
  const scores = [await talk(service, 'mild', mild)];
  expect(scores[0]).toBeLessThan(60);
  expect(await profileOf(service)).toEqual({
    subject_id,
    triggers: {
      work_performance: {
        status: 'observed',
        avg_stress: scores[0],
        peak_stress: scores[0],
        sessions: 1,
        last_seen: service.clock.at(),
      },
    },
    active: [],
    resolved: [],
  });

  const firstSeen = service.clock.at();
  for (const session of ['bad1', 'bad2', 'bad3']) scores.push(await talk(service, session, harsh));
  for (const score of scores.slice(1)) expect(score).toBeGreaterThanOrEqual(80);
  const active = await profileOf(service);
  expect(active.active).toEqual(['work_performance']);
  expect(active.triggers.work_performance).toMatchObject({
    status: 'active',
    sessions: 4,
    peak_stress: Math.max(...scores),
  });

  for (const session of ['good1', 'good2', 'good3']) scores.push(await talk(service, session, calm));
  for (const score of scores.slice(4)) expect(score).toBeLessThan(20);
  const resolved = await profileOf(service);
  expect(resolved).toMatchObject({ active: [], resolved: ['work_performance'] });
  const sum = scores.reduce((total, score) => total + score, 0);
  expect(resolved.triggers.work_performance).toEqual({
    status: 'resolved',
    avg_stress: Math.round((sum / 7) * 10) / 10,
    peak_stress: Math.max(...scores),
    sessions: 7,
    last_seen: service.clock.at(),
  });

  for (const session of ['again1', 'again2']) await talk(service, session, harsh);
  expect(await profileOf(service)).toMatchObject({ active: ['work_performance'], resolved: [] });
  const { status_changes } = (await service.request(`/v1/subjects/${subject_id}`)).body;
  const changes: Array<{ status: string; timestamp: string }> = status_changes.work_performance;
  expect(changes.map(({ status }) => status)).toEqual(['observed', 'active', 'resolved', 'active']);
  expect(changes[0]?.timestamp).toBe(firstSeen);
  expect(changes.map(({ timestamp }) => timestamp)).toEqual(changes.map(({ timestamp }) => timestamp).sort());
});

test('a good message resolves a concern of the person, and names no other topic', async ({ service }) => {
  const say = async (session_id: string, user_message: string, signals: object) => {
    service.clock.advance(24 * 60 * 60);
    const reading = await service.read({ session_id, subject_id, ...signals, user_message, ai_response: 'I see.' });
    return reading.topics_detected;
  };
  const good = 'I passed my finals, my boss made pancakes and I am so happy';
  expect(await say('before', good, calm)).toEqual([]);
  expect((await profileOf(service)).triggers).toEqual({});
  for (const session of ['bad1', 'bad2'])
    expect(await say(session, 'My exam is tomorrow and I am so worried about it', harsh)).toEqual(['exams']);
  for (const session of ['good1', 'good1', 'good2', 'good3']) expect(await say(session, good, calm)).toEqual(['exams']);
  expect(await profileOf(service)).toMatchObject({
    triggers: { exams: { status: 'resolved', sessions: 5 } },
    active: [],
    resolved: ['exams'],
  });
});

test('a concern that was only observed does not count when it is mentioned calmly', async ({ service }) => {
  const say = async (user_message: string) => {
    service.clock.advance(1);
    const reading = await service.read({ subject_id, heart_rate: 72, user_message, ai_response: 'I see.' });
    return reading.topics_detected;
  };
  expect(await say('My exam is tomorrow and I am so worried about it')).toEqual(['exams']);
  expect(await say('My exam went great and I am so happy')).toEqual([]);
});

test('a topic is observed after one stressed turn and active after two', async ({ service }) => {
  const say = async (session_id: string, user_message: string) => {
    service.clock.advance(60);
    const signals = { heart_rate: 72, tone: 'tense', sentiment: -0.6 } as const;
    return service.read({ session_id, subject_id, ...signals, user_message, ai_response: 'I see.' });
  };
  const first = await say('one', review.user_message);
  expect(first).toMatchObject({ state: 'stressed', topics_detected: ['work_performance'], active_triggers: [] });
  expect(await profileOf(service)).toMatchObject({
    triggers: { work_performance: { status: 'observed' } },
    active: [],
  });
  const second = await say('two', review.user_message);
  expect(second).toMatchObject({ state: 'stressed', active_triggers: ['work_performance'] });
});

test('a concern named in the first person becomes active immediately in acute_stress, a vague concern does not', async () => {
  const service = await startTestService();
  expect(await talk(service, 'named', harsh)).toBeGreaterThanOrEqual(80);
  expect((await profileOf(service)).active).toEqual(['work_performance']);
  const vague = { user_message: 'Everything about school is awful lately', ai_response: 'I see.' };
  const reading = await service.read({ session_id: 'vague', subject_id: 'bert', ...harsh, ...vague });
  expect(reading).toMatchObject({ state: 'acute_stress', topics_detected: ['school_general'], active_triggers: [] });
});

test('requests, tasks, facts and questions about others yield no topics at any stress score', async ({ service }) => {
  const messages = [
    'how do I freeze my bank account',
    'add this song to my sleep playlist',
    "the Excel function for the number of days between two dates doesn't work",
    'Write a blog post about starting a new job',
    'Do you have a teenager?',
    'He is an actor and does charity work in Kenya',
    'thanks, terrific',
    "this doesn't work",
  ];
  for (const user_message of messages) {
    service.clock.advance(1);
    const reading = await service.read({ subject_id, ...harsh, user_message, ai_response: 'Sure.' });
    expect(reading.topics_detected, user_message).toEqual([]);
  }
  expect(await profileOf(service)).toEqual({ subject_id, triggers: {}, active: [], resolved: [] });
});

test("responses to readings without text and the state contain the subject's triggers", async ({ service }) => {
  await talk(service, 'bad', harsh);
  service.clock.advance(1);
  const next = await service.read({ session_id: 'bad', heart_rate: 90 });
  expect(next).toMatchObject({ topics_detected: [], active_triggers: ['work_performance'], resolved_triggers: [] });
  const state = await service.request('/v1/state?session_id=bad');
  expect(state.body).toMatchObject({ topics_detected: [], active_triggers: ['work_performance'] });
  const stranger = await service.read({ session_id: 'nobody', heart_rate: 90 });
  expect(stranger).not.toHaveProperty('active_triggers');
});

test('a response lists the triggers in the order of the profile, also after a late turn', async ({ service }) => {
  const say = async (user_message: string, at: string) => {
    const turn = { user_message, ai_response: 'I see.' };
    const answer = await service.read({ subject_id, ...harsh, ...turn, timestamp: at });
    const { active } = await profileOf(service);
    expect(answer.active_triggers).toEqual(active);
    return active;
  };
  const times = [0, 1, 2].map((seconds) => {
    service.clock.advance(seconds);
    return service.clock.at();
  }) as [string, string, string];
  const both = 'My performance review is next week and the rent is due tomorrow';
  expect(await say(both, times[1])).toEqual(['housing_costs', 'work_performance']);
  expect(await say('I owe 12,000 dollars on my credit cards', times[2])).toEqual([
    'debt',
    'housing_costs',
    'work_performance',
  ]);
  expect((await say('my exam is tomorrow', times[0])).at(-1)).toBe('exams');
  expect((await say(review.user_message, times[2]))[1]).toBe('work_performance');
});

test('a turn that is resent immediately or later counts once and returns the original response', async () => {
  const service = await startTestService();
  const body = { subject_id, timestamp: service.clock.at(), ...harsh, ...review };
  const [first, second] = await Promise.all([service.ingest(body), service.ingest(body)]);
  service.clock.advance(10);
  await service.read({ subject_id, ...calm, user_message: 'my exam went great', ai_response: 'Well done!' });
  const third = await service.ingest(body);
  expect(second?.body).toEqual(first?.body);
  expect(third.body).toEqual(first?.body);
  const { triggers } = await profileOf(service);
  expect(triggers.work_performance).toMatchObject({ avg_stress: first?.body.stress_score, sessions: 1 });
});

test('two turns in one session count as two occurrences in one session', async ({ service }) => {
  for (const signals of [harsh, mild]) {
    await service.read({ subject_id, ...signals, ...review });
    service.clock.advance(1);
  }
  const { work_performance } = (await profileOf(service)).triggers;
  expect(work_performance.sessions).toBe(1);
  expect(work_performance.avg_stress).not.toBe(work_performance.peak_stress);
});

test('small talk, half a turn and a denied feeling yield no topics', async ({ service }) => {
  const turns = [
    { user_message: 'Hello, how are you?', ai_response: 'Fine, and you?' },
    { user_message: "I'm not stressed right now", ai_response: 'Good to hear.' },
    { user_message: 'My performance review is next week' },
  ];
  for (const turn of turns) {
    expect((await service.read({ subject_id, heart_rate: 80, ...turn })).topics_detected).toEqual([]);
    service.clock.advance(1);
  }
  expect(await profileOf(service)).toEqual({ subject_id, triggers: {}, active: [], resolved: [] });
});

test('concurrent readings of several subjects never share topics', async ({ service }) => {
  const people = Array.from({ length: 30 }, (_, index) => `person${index}`);
  await Promise.all(
    people.map((person, index) =>
      service.read({
        session_id: person,
        subject_id: person,
        ...harsh,
        ...(index % 2 ? review : { user_message: 'I owe 12,000 dollars on my credit cards', ai_response: 'I see.' }),
      }),
    ),
  );
  for (const [index, person] of people.entries()) {
    const { body } = await service.request(`/v1/triggers?subject_id=${person}`);
    expect(Object.keys(body.triggers)).toEqual([index % 2 ? 'work_performance' : 'debt']);
  }
});
