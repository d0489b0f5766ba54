import { expect, test } from 'vitest';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { ample, startTestService, type TestService } from '../../testkit/service.js';

/** One concern per topic. Every simulated person has one of them as the trigger, and talks about the others calmly. */
const concerns = {
  exams: 'My exam is tomorrow and I am so worried that I will fail it',
  debt: "I can't pay my credit card debt and it keeps me worried",
  sleep: "I haven't been able to sleep for weeks and I am exhausted",
  breakup: 'My girlfriend broke up with me and I am heartbroken',
  work_performance: 'My boss yelled at me again and I am worried about my performance review',
  job_loss: 'I was laid off and I am worried that I will not find a job',
  family_conflict: 'I keep fighting with my sister and it upsets me',
  money_shortage: "I'm afraid I can't afford the rent this month",
};
type Topic = keyof typeof concerns;
const topics = Object.keys(concerns) as Topic[];

const people = 10;
const quietSeconds = 180;
const turnsPerSession = 7;

/** The body's response to the trigger: it starts after a delay, climbs, lasts and fades. */
const response = { bpm: 22, delaySeconds: 25, climbSeconds: 25, lastsSeconds: 90, fadeSeconds: 60 };
/** The trigger is still talked about and no longer stresses. People arrive with a raised heart rate. */
const calmSessions = { count: 4, arrivalBpm: 12 };
/** Standard deviation and correlation of the readings of an optical sensor, as in wrist-noise.ts. */
const noise = { bpm: 3.4, correlation: 0.85 };

/** A person in a session: what they say, and their heart rate every `everySeconds`. */
function createPerson(index: number, everySeconds: number) {
  const random = seededRandom(index + 1);
  const draw = () => Math.sqrt(3) * (2 * random() - 1);
  const trigger = topics[index % topics.length] as Topic;
  const restBpm = 58 + 20 * random();
  let rise = 0;
  let error = 0;
  let triggeredAt: number | undefined;
  let arrivalBpm = 0;
  let isStressed = true;
  /** In a calm session, the trigger raises nothing, and the heart rate is higher from the start. */
  const startSession = (isCalm = false) => {
    triggeredAt = undefined;
    isStressed = !isCalm;
    arrivalBpm = isCalm ? calmSessions.arrivalBpm : 0;
    const order = topics.filter((it) => it !== trigger).sort(() => random() - 0.5);
    order.splice(Math.floor(random() * turnsPerSession), 0, trigger);
    return order.slice(0, turnsPerSession);
  };
  const heartRateAt = (second: number) => {
    const since = second - (triggeredAt ?? Infinity) - response.delaySeconds;
    const isExcited = since >= 0 && since < response.lastsSeconds;
    const share = 1 - Math.exp(-everySeconds / (isExcited ? response.climbSeconds : response.fadeSeconds));
    rise += share * ((isExcited ? response.bpm : 0) - rise);
    error = noise.correlation * error + Math.sqrt(1 - noise.correlation ** 2) * noise.bpm * draw();
    return Math.round(10 * (restBpm + arrivalBpm + rise + error)) / 10;
  };
  const say = (topic: Topic, second: number) => {
    if (topic === trigger && isStressed) triggeredAt = second;
    return { user_message: concerns[topic], ai_response: 'I understand. Tell me more.' };
  };
  return { subject_id: `person-${index}`, trigger, startSession, heartRateAt, say };
}

type VoiceOf = (isTrigger: boolean) => object;

/** Plays one session of all people in parallel, with a turn every `turnSeconds`. */
async function playSession(
  service: TestService,
  group: ReadonlyArray<ReturnType<typeof createPerson>>,
  session: number,
  { turnSeconds, everySeconds }: { readonly turnSeconds: number; readonly everySeconds: number },
  voiceOf: VoiceOf,
  isCalm = false,
): Promise<void> {
  service.clock.advance(20 * 60 * 60);
  const orders = group.map((person) => person.startSession(isCalm));
  for (let second = 0; second < quietSeconds + turnsPerSession * turnSeconds; second += everySeconds) {
    service.clock.advance(everySeconds);
    const turn = (second - quietSeconds) / turnSeconds;
    const readings = group.map(async (person, index) => {
      const topic = Number.isInteger(turn) ? orders[index]?.[turn] : undefined;
      const said = topic && { ...person.say(topic, second), ...voiceOf(topic === person.trigger) };
      const { subject_id } = person;
      const session_id = `${subject_id}-${session}`;
      const reading = await service.read({ session_id, subject_id, heart_rate: person.heartRateAt(second), ...said });
      if (topic) expect(reading.topics_detected[0]).toBe(topic);
    });
    await Promise.all(readings);
  }
}

/** Plays three sessions, and calm ones. Returns how many people have their trigger in the list of a status, and its share of the list. */
async function attribute(
  turnSeconds: number,
  { voiceOf = () => ({}), calm = 0, status = 'active' }: { voiceOf?: VoiceOf; calm?: number; status?: string } = {},
) {
  const service = await startTestService({ env: ample });
  const pace = { turnSeconds, everySeconds: Math.min(20, turnSeconds / 6) };
  const group = Array.from({ length: people }, (_, index) => createPerson(index, pace.everySeconds));
  for (let session = 0; session < 3 + calm; session++)
    await playSession(service, group, session, pace, voiceOf, session >= 3);
  const profiles = group.map(async ({ subject_id, trigger }) => {
    const { body } = await service.request(`/v1/triggers?subject_id=${subject_id}`);
    const named = body[status] as string[];
    return { isFound: named.includes(trigger), active: named.length };
  });
  const rows = await Promise.all(profiles);
  const found = rows.filter(({ isFound }) => isFound).length;
  return { found, precision: found / rows.reduce((sum, { active }) => sum + active, 0) };
}

const timeout = 240_000;

test.each([60, 120, 300])(
  'from the heart rate alone, with a turn every %i s, the trigger of at least 8 of 10 people is active, and at most 1 of 10 active topics is wrong',
  { timeout },
  async (turnSeconds) => {
    const { found, precision } = await attribute(turnSeconds);
    expect(found).toBeGreaterThanOrEqual(8);
    expect(precision).toBeGreaterThanOrEqual(0.9);
  },
);

test(
  'a trigger that is still talked about and no longer raises the heart rate is resolved for at least 8 of 10 people',
  { timeout },
  async () => {
    const { found } = await attribute(120, { calm: calmSessions.count, status: 'resolved' });
    expect(found).toBeGreaterThanOrEqual(8);
  },
);

test('with voice and words, the trigger of every person is active and no other topic', { timeout }, async () => {
  const voiceOf = (isTrigger: boolean) =>
    isTrigger ? { tone: 'hostile', sentiment: -0.8 } : { tone: 'neutral', sentiment: 0.1 };
  expect(await attribute(60, { voiceOf })).toEqual({ found: people, precision: 1 });
});
