import { expect, test } from 'vitest';
import { computeConfidenceArea, judgeState, type Verdict } from '../../testkit/simulation/confidence.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { batchResults } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';

const seeds = [1, 2, 3];
const people = Array.from({ length: 12 }, (_, index) => `person-${index}`);

/** Sends one reading of each person per half minute and returns the last responses. */
async function hold(service: TestService, seconds: number, signalsOf: (person: number) => Record<string, unknown>) {
  let last: Awaited<ReturnType<typeof batchResults>> = [];
  for (let at = 0; at < seconds; at += 30) {
    service.clock.advance(30);
    const of = { timestamp: service.clock.at() };
    last = await batchResults(
      service,
      people.map((id, person) => ({ ...of, session_id: id, subject_id: id, ...signalsOf(person) })),
    );
  }
  return last.map(({ state }) => state) as Parameters<typeof judgeState>[0][];
}

/** Plays rest and tasks of people whose reactions differ: some heart rates rise at rest, others hardly rise in a task. */
async function judgePeople(service: TestService, seed: number): Promise<Verdict[]> {
  const random = seededRandom(seed);
  const restBpm = people.map(() => 58 + 16 * random());
  const verdicts: Verdict[] = [];
  await hold(service, 600, (person) => ({ heart_rate: (restBpm[person] ?? 0) + 2 * random() }));
  for (let block = 0; block < 8; block++) {
    const isStressor = block % 2 === 1;
    const rises = people.map(() => (isStressor ? 1 + 18 * random() : 9 * random() ** 2 - 2));
    const bpmOf = (person: number) => (restBpm[person] ?? 0) + (rises[person] ?? 0) + 2 * random();
    const states = await hold(service, 240, (person) => ({ heart_rate: bpmOf(person) }));
    verdicts.push(...states.map((it) => judgeState(it, isStressor)));
  }
  return verdicts;
}

test.each(seeds)('states with a higher confidence are right more often (seed %i)', async (seed) => {
  const verdicts = await judgePeople(await startTestService(), seed);
  const [wrong, right] = [false, true].map((isRight) => verdicts.filter((it) => it.isRight === isRight));
  expect(Math.min(wrong?.length ?? 0, right?.length ?? 0)).toBeGreaterThan(8);
  expect(computeConfidenceArea(verdicts)).toBeGreaterThanOrEqual(0.6);
});

test('the confidence is lower while the baseline is learned, and that of a raised heart rate rises for minutes, with and without variability', async () => {
  const service = await startTestService();
  const signals = (person: number) => ({ ...(person < 6 && { sdnn: 45 }) });
  const first = await hold(service, 30, (person) => ({ heart_rate: 66, ...signals(person) }));
  const known = await hold(service, 120, (person) => ({ heart_rate: 66, ...signals(person) }));
  first.forEach(({ confidence }, person) => expect(confidence).toBeLessThan(known[person]?.confidence ?? 0));
  const early = await hold(service, 180, (person) => ({ heart_rate: 90, ...signals(person) }));
  await hold(service, 1800, (person) => ({ heart_rate: 66, ...signals(person) }));
  const late = await hold(service, 300, (person) => ({ heart_rate: 90, ...signals(person) }));
  for (const [person, { state, confidence }] of late.entries()) {
    expect([early[person]?.state, state]).toEqual(['stressed', 'stressed']);
    expect(early[person]?.confidence).toBeLessThan(confidence - 0.05);
    expect(confidence).toBe(late[0]?.confidence);
  }
});

test('text alone has a moderate confidence, the lowest near the edge between relaxed and focused', async () => {
  const service = await startTestService();
  const confidences: number[] = [];
  for (const sentiment of [-0.3, 0.1, 0.6, -0.9]) {
    const { confidence } = await service.read({ session_id: `words${sentiment}`, sentiment });
    expect(confidence).toBeGreaterThanOrEqual(0.2);
    expect(confidence).toBeLessThanOrEqual(0.8);
    confidences.push(confidence);
  }
  expect(confidences).toEqual([...confidences].sort((a, b) => a - b));
});
