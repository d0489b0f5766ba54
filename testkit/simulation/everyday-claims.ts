import type { StateReading, Submission } from '../../src/contract/contract.js';

/** One reading of a stream, without ids. */
export type StreamReading = Omit<Submission, 'session_id' | 'subject_id' | 'timestamp'> & { readonly second: number };

export type StreamResponse = Pick<StateReading, 'state' | 'stress_score' | 'confidence' | 'action_reason'> & {
  readonly second: number;
};

/** An everyday stream, and a claim on the states that are published for it. */
export interface Claim {
  readonly stream: string;
  readonly expected: string;
  /**
   * Returns the readings of the stream. `random` returns numbers in [0, 1). `every` is the time between two heart
   * rates, in seconds.
   */
  readings(random: () => number, every?: number): StreamReading[];
  holds(responses: readonly StreamResponse[]): boolean;
}

type Signals = Omit<StreamReading, 'second'>;

const quarter = 900;
const neutral = { tone: 'neutral', sentiment: 0 } as const;

/** Returns heart rates around a value with uniform noise, one rate per `every` seconds between two times. */
function steady(
  random: () => number,
  [from, to, every]: readonly [from: number, to: number, every: number],
  [bpm, noise]: readonly [bpm: number, noise: number],
  others: Signals = {},
): StreamReading[] {
  return Array.from({ length: Math.ceil((to - from) / every) }, (_, index) => {
    const heart_rate = Math.round((bpm + noise * (2 * random() - 1)) * 10) / 10;
    return { ...others, heart_rate, second: from + index * every };
  });
}

/** Returns a steady heart rate that jumps to another rate after 15 minutes. */
function jump(
  random: () => number,
  before: readonly [bpm: number, signals?: Signals],
  after: readonly [bpm: number, signals?: Signals],
  { every = 10, until = 2 * quarter }: { readonly every?: number | undefined; readonly until?: number } = {},
): StreamReading[] {
  return [
    ...steady(random, [0, quarter, every], [before[0], 3], before[1]),
    ...steady(random, [quarter, until, every], [after[0], 4], after[1]),
  ];
}

const isEasy = ({ state }: StreamResponse) => state === 'calm' || state === 'relaxed';
const isStressed = ({ state }: StreamResponse) => state === 'stressed' || state === 'acute_stress';
const isCrisis = ({ state }: StreamResponse) => state === 'acute_stress';
const after = (second: number) => (it: StreamResponse) => it.second >= second;
const lastOf = (responses: readonly StreamResponse[]) => responses.at(-1) as StreamResponse;

/** Returns the number of state changes between consecutive responses. */
export function changesOf(responses: readonly Pick<StreamResponse, 'state'>[]): number {
  return responses.filter(({ state }, index) => index > 0 && state !== responses[index - 1]?.state).length;
}

/**
 * Returns true if one implausible reading changes the score by few points, lowers the confidence and does not change
 * the state.
 */
function ignores(responses: readonly StreamResponse[], second: number): boolean {
  const at = responses.findIndex((it) => it.second === second);
  const [before, wild, next] = responses.slice(at - 1, at + 2) as [StreamResponse, StreamResponse, StreamResponse];
  const moved = Math.max(...[wild, next].map((it) => Math.abs(it.stress_score - before.stress_score)));
  return (
    moved <= 5 && wild.confidence < before.confidence && wild.state === before.state && next.state === before.state
  );
}

const wildAt = 600;
const withWild = (readings: StreamReading[], heart_rate: number): StreamReading[] =>
  readings.map((it) => (it.second === wildAt ? { ...it, heart_rate } : it));

const tense = [114, 8] as const;
const isLoaded = (it: StreamResponse) => !isEasy(it);
const bandOf = ({ stress_score }: StreamResponse) => Math.floor(stress_score / 20);

/** Returns true if the state is that of before the rise, or a lower one, from a second on. */
function isBackFrom(responses: readonly StreamResponse[], second: number): boolean {
  const before = responses.findLast((it) => it.second < quarter) as StreamResponse;
  return responses.filter(after(second)).every((it) => bandOf(it) <= bandOf(before));
}

const exercise: Signals = { tone: 'neutral', sentiment: 0.6 };

export const claims: readonly Claim[] = [
  {
    stream: 'typical heart rate, neutral voice, face and words',
    expected: 'calm or relaxed throughout',
    readings: (random, every = 5) =>
      steady(random, [0, quarter, every], [65 + 10 * random(), 4], { ...neutral, expression: 'neutral' }),
    holds: (responses) => responses.every(isEasy),
  },
  {
    stream: 'exercise: 62 bpm, then 150 bpm with SDNN 6',
    expected: 'never acute_stress',
    readings: (random, every) => jump(random, [62, { sdnn: 45 }], [150, { sdnn: 6, rmssd: 5 }], { every }),
    holds: (responses) => !responses.some(isCrisis),
  },
  {
    stream: 'exercise: 62 bpm, then 150 bpm, neutral voice, sentiment +0.6',
    expected: 'stressed for at most 2 min, low confidence, the reason states it',
    readings: (random, every) => jump(random, [62, exercise], [150, exercise], { every }),
    holds: (responses) =>
      10 * responses.filter(isStressed).length <= 120 &&
      lastOf(responses).confidence < 0.5 &&
      /higher than stress explains/.test(lastOf(responses).action_reason),
  },
  {
    stream: 'exercise: 150 bpm, frowning, excited voice',
    expected: 'no acute_stress',
    readings: (random, every) =>
      jump(random, [62, neutral], [150, { tone: 'excited', expression: 'frowning' }], { every }),
    holds: (responses) => !responses.some(isCrisis),
  },
  {
    stream: 'one reading of 180 bpm between readings of 65 bpm',
    expected: 'at most 5 points, lower confidence, same state',
    readings: (random, every = 10) => withWild(steady(random, [0, quarter, every], [65, 2]), 180),
    holds: (responses) => ignores(responses, wildAt),
  },
  {
    stream: 'one reading of 30 bpm between readings of 70 bpm',
    expected: 'at most 5 points, lower confidence, same state',
    readings: (random, every = 10) => withWild(steady(random, [0, quarter, every], [70, 2]), 30),
    holds: (responses) => ignores(responses, wildAt),
  },
  {
    stream: '70 bpm for 15 min, then 105 bpm for an hour',
    expected: 'stressed from the fifth minute to the end',
    readings: (random, every) => jump(random, [70], [105], { every, until: quarter + 3600 }),
    holds: (responses) => responses.filter(after(quarter + 300)).every(isStressed),
  },
  {
    stream: 'new subject: 108 bpm for 3 min, then 72 bpm',
    expected: 'no resting heart rate of the person from 2 min of data; then calm or relaxed',
    readings: (random, every = 5) => [
      ...steady(random, [0, 180, every], [108, 3]),
      ...steady(random, [180, quarter, every], [72, 3]),
    ],
    holds: (responses) =>
      !responses.some(({ second, action_reason }) => second <= 180 && /usual|this person/.test(action_reason)) &&
      responses.filter(after(300)).every(isEasy),
  },
  {
    stream: 'athlete at rest: 48 bpm for 20 min',
    expected: 'calm or relaxed throughout',
    readings: (random, every = 10) => steady(random, [0, 1200, every], [48, 3]),
    holds: (responses) => responses.every(isEasy),
  },
  {
    stream: '70 bpm, then 14 bpm more, heart rate only',
    expected: 'stressed within 5 min',
    readings: (random, every) => jump(random, [70], [84], { every }),
    holds: (responses) => responses.filter(after(quarter + 300)).every(isStressed),
  },
  {
    stream: 'steady 75 bpm ±4 bpm, a reading every 5 s, 30 min',
    expected: 'at most 3 changes of state',
    readings: (random, every = 5) => steady(random, [0, 1800, every], [75, 4]),
    holds: (responses) => changesOf(responses) <= 3,
  },
  {
    stream: 'steady 75 bpm ±6 bpm, a reading every 5 s, 30 min',
    expected: 'at most 3 changes of state',
    readings: (random, every = 5) => steady(random, [0, 1800, every], [75, 6]),
    holds: (responses) => changesOf(responses) <= 3,
  },
  {
    stream: 'always 92 bpm, half an hour',
    expected: 'not stressed at the end',
    readings: (random, every = 10) => steady(random, [0, 1800, every], [92, 4]),
    holds: (responses) => !isStressed(lastOf(responses)),
  },
  {
    stream: 'onset: 66 bpm, then 92 bpm, tense voice, sentiment −0.5',
    expected: 'stressed within 30 s, and it persists',
    readings: (random, every) =>
      jump(random, [66, { tone: 'neutral', sentiment: 0.1 }], [92, { tone: 'tense', sentiment: -0.5 }], { every }),
    holds: (responses) => responses.filter(after(quarter + 30)).every(isStressed),
  },
  {
    stream: '70 bpm, neutral voice, then sentiment −0.9',
    expected: 'stressed with that reading',
    readings: (random, every = 10) => [
      ...steady(random, [0, 300, every], [70, 3], neutral),
      { second: 301, sentiment: -0.9 },
    ],
    holds: (responses) => isStressed(lastOf(responses)),
  },
  {
    stream: 'moderate activity: 70 bpm, then 110 bpm',
    expected: 'not stressed',
    readings: (random, every) =>
      jump(random, [70, { activity_level: 'resting' }], [110, { activity_level: 'moderate' }], { every }),
    holds: (responses) => !responses.some(isStressed),
  },
  {
    stream: '66 bpm for 5 min, an hour of moderate activity at 110 bpm, then 80 bpm at rest',
    expected: 'the reason states that the baseline is not updated; stressed from the fifth minute after it',
    readings: (random, every = 10) => [
      ...steady(random, [0, 300, every], [66, 3], { activity_level: 'resting' }),
      ...steady(random, [300, 3900, every], [110, 4], { activity_level: 'moderate' }),
      ...steady(random, [3900, 4800, every], [80, 3], { activity_level: 'resting' }),
    ],
    holds: (responses) =>
      responses
        .filter(({ second }) => second >= 420 && second < 3900)
        .every((it) => !isStressed(it) && /the baseline is not updated/.test(it.action_reason)) &&
      responses.filter(after(4200)).every(isStressed),
  },
  {
    stream: 'a tense new person: 106 to 122 bpm without steps, SDNN 30, for 15 min',
    expected: 'focused or above throughout',
    readings: (random, every = 5) => steady(random, [0, quarter, every], tense, { steps_last_minute: 0, sdnn: 30 }),
    holds: (responses) => responses.every(isLoaded),
  },
  {
    stream: 'a tense new person: 106 to 122 bpm for 15 min, heart rate only',
    expected: 'focused or above throughout',
    readings: (random, every = 5) => steady(random, [0, quarter, every], tense),
    holds: (responses) => responses.every(isLoaded),
  },
  {
    stream: 'a tense new person: 106 to 122 bpm for 15 min, a reading every 30 s',
    expected: 'focused or above throughout',
    readings: (random, every = 30) => steady(random, [0, quarter, every], tense),
    holds: (responses) => responses.every(isLoaded),
  },
  {
    stream: 'a new person: 76 bpm for 15 min, then a speech with 16 bpm more, a reading every 30 s',
    expected: 'focused or above within 60 s',
    readings: (random, every = 30) => jump(random, [76], [92], { every, until: quarter + 240 }),
    holds: (responses) => responses.filter(after(quarter + 60)).every(isLoaded),
  },
  {
    stream: 'a new person at rest with 85 to 90 bpm',
    expected: 'calm or relaxed within 30 min',
    readings: (random, every = 10) => steady(random, [0, 2400, every], [87.5, 2.5]),
    holds: (responses) => responses.filter(after(1800)).every(isEasy),
  },
  {
    stream: 'a new person at rest with 104 bpm',
    expected: 'focused or above for 15 min, calm or relaxed after four hours',
    readings: (random, every = 30) => steady(random, [0, 4.5 * 3600, every], [104, 3]),
    holds: (responses) =>
      responses.filter(({ second }) => second < quarter).every(isLoaded) &&
      responses.filter(after(4 * 3600)).every(isEasy),
  },
  {
    stream: '66 bpm, then 22 bpm more for 15 min, then 66 bpm',
    expected: 'the earlier state within 150 s',
    readings: (random, every = 5) => [
      ...jump(random, [66], [88], { every }),
      ...steady(random, [2 * quarter, 3 * quarter, every], [66, 3]),
    ],
    holds: (responses) => isBackFrom(responses, 2 * quarter + 150),
  },
  {
    stream: '66 bpm for five minutes, then 22 bpm more for 15 min, then 66 bpm',
    expected: 'the earlier state within 150 s',
    readings: (random, every = 5) => [
      ...steady(random, [600, quarter, every], [66, 3]),
      ...jump(random, [66], [88], { every }).filter(({ second }) => second >= quarter),
      ...steady(random, [2 * quarter, 3 * quarter, every], [66, 3]),
    ],
    holds: (responses) => isBackFrom(responses, 2 * quarter + 150),
  },
  {
    stream: 'one sentence with sentiment −1, then a neutral face every 10 s',
    expected: 'stressed with the sentence, no longer after 120 s',
    readings: () => [
      { second: 0, sentiment: -1 },
      ...Array.from({ length: 40 }, (_, index) => ({ second: 10 + 10 * index, expression: 'neutral' as const })),
    ],
    holds: (responses) => isStressed(responses[0] as StreamResponse) && !responses.filter(after(120)).some(isStressed),
  },
  {
    stream: '66 bpm and a neutral voice, one sentence with sentiment −1',
    expected: 'stressed with the sentence, no longer after 120 s',
    readings: (random, every = 5) =>
      [
        ...steady(random, [0, 2 * quarter, every], [66, 3], { tone: 'neutral' }),
        { second: quarter + 1, sentiment: -1 },
      ].sort((a, b) => a.second - b.second),
    holds: (responses) =>
      responses.some((it) => it.second === quarter + 1 && isStressed(it)) &&
      !responses.filter(after(quarter + 120)).some(isStressed),
  },
  {
    stream: 'rest at 70 bpm, amused at 78 bpm, stressed at 94 bpm, for 20, 10 and 5 min',
    expected: 'the highest fifth of the confidence has no state of the amused',
    readings: (random, every = 10) => [
      ...steady(random, [0, 1200, every], [70, 3]),
      ...steady(random, [1200, 1800, every], [78, 3]),
      ...steady(random, [1800, 2100, every], [94, 3]),
    ],
    holds: (responses) => {
      const confidences = responses.map(({ confidence }) => confidence).sort((a, b) => b - a);
      const top = confidences[Math.floor(responses.length / 5)] ?? 0;
      return responses.filter(({ second }) => second >= 1320 && second < 1800).every((it) => it.confidence < top);
    },
  },
  {
    stream: '100 bpm, then only a neutral voice for four minutes',
    expected: 'the confidence falls by at least 0.2',
    readings: (random, every = 10) => [
      ...steady(random, [0, 300, every], [100, 2]),
      ...Array.from({ length: 24 }, (_, index) => ({ second: 300 + 10 * index, tone: 'neutral' as const })),
    ],
    holds: (responses) => {
      const before = responses.findLast((it) => it.second < 300) as StreamResponse;
      return lastOf(responses).confidence <= before.confidence - 0.2;
    },
  },
  {
    stream: 'words with sentiment +0.6 every 20 s, beside a hostile voice from the third minute on',
    expected: 'at least 0.1 less confidence',
    readings: () =>
      Array.from({ length: 15 }, (_, index) => {
        const second = 20 * index;
        return { second, sentiment: 0.6, ...(second >= 120 && { tone: 'hostile' as const }) };
      }),
    holds: (responses) => {
      const before = responses.findLast((it) => it.second < 120) as StreamResponse;
      return responses.filter(after(120)).every((it) => it.confidence <= before.confidence - 0.1);
    },
  },
  {
    stream: '66 bpm with SDNN 60 for 30 min, then SDNN 20',
    expected: 'at least 5 points more, at most focused',
    readings: (random, every = 10) => [
      ...steady(random, [0, 2 * quarter, every], [66, 2], { sdnn: 60 }),
      ...steady(random, [2 * quarter, 3 * quarter, every], [66, 2], { sdnn: 20 }),
    ],
    holds: (responses) => {
      const before = responses.findLast((it) => it.second < 2 * quarter) as StreamResponse;
      const fallen = responses.filter(after(2 * quarter));
      return !fallen.some(isStressed) && lastOf(fallen).stress_score >= before.stress_score + 5;
    },
  },
];
