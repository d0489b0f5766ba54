import fc from 'fast-check';
import { enums, signals as contract } from '../generated/spec.js';
import { type Signal, signals as numbers } from '../packages/recordings/signals.js';
import { computeTypicalValues } from '../packages/score/baseline.js';
import { stressModel as model } from '../packages/score/model.js';
import type { Baseline } from '../packages/score/rows/person.js';
import type { PublishedState } from '../packages/score/rows/session.js';
import type { SignalName, Signals, SignalValues } from '../packages/score/rows/values.js';
import type { SessionStep } from '../packages/score/session.js';
import type { HeartRateLevel, ScoreInput, TypicalValues } from '../packages/score/situation.js';
import type { MovementContext, Reading } from '../packages/score/signals.js';
import { advanceAll } from './simulation/sessions.js';

export { advanceAll };

/** Number of random cases per law. */
export const laws = { numRuns: process.env['TEST_SLOW'] === '1' ? 1_000 : 60 };

/** Timestamp of the first reading of every history, epoch ms. */
export const startMs = Date.UTC(2026, 0, 5, 9);
/** The time at which ages are computed, epoch ms. */
export const nowMs = startMs + 1_000_000;
/** A time after the last reading of every history, epoch ms. */
export const laterMs = startMs + 8_000_000;

type Value<N extends SignalName> = NonNullable<SignalValues[N]>;

/** Any value that the contract allows, per signal. */
export const anyOf: { readonly [N in SignalName]: fc.Arbitrary<Value<N>> } = {
  heart_rate: numberOf('heart_rate'),
  sdnn: numberOf('sdnn'),
  rmssd: numberOf('rmssd'),
  tone: fc.constantFrom(...enums.Tone),
  expression: fc.constantFrom(...enums.Expression),
  urgency: fc.constantFrom(...enums.Urgency),
  sentiment: numberOf('sentiment').map((value) => value + 0), // -0 becomes 0, as in JSON.
};
export const anyValues: fc.Arbitrary<SignalValues> = fc.record(anyOf, { requiredKeys: [] });
/** Signals of one valid reading: at least one signal. */
export const someValues = anyValues.filter((values) => Object.keys(values).length > 0);

/** Activity level and steps, which explain a heart rate. */
const someContext: fc.Arbitrary<MovementContext> = fc.record(
  {
    activity_level: fc.constantFrom(...enums.ActivityLevel),
    steps_last_minute: fc.integer({ min: 0, max: contract.steps_last_minute.maximum }),
  },
  { requiredKeys: [] },
);

/** Signals that are stored only. */
export const someStored: fc.Arbitrary<Partial<Record<Signal, number>>> = fc.record(
  Object.fromEntries(numbers.filter((name) => contract[name].use === 'stored only').map((it) => [it, numberOf(it)])),
  { requiredKeys: [] },
);

/** Beat-to-beat intervals of a chest strap. */
const someIntervals = fc.record({
  rr_intervals_ms: fc.array(fc.integer({ min: 250, max: 2500 }), { minLength: 1, maxLength: 64 }),
});

/** Some device, or none. */
const someDevice = fc.constantFrom({}, {}, { source_device: 'strap' }, { source_device: 'watch' });

/** One reading of a wearable: signals, sometimes with activity level, steps, intervals or a device. */
export const someSensing = fc
  .tuple(
    someValues,
    fc.option(someContext, { nil: {}, freq: 2 }),
    fc.option(someIntervals, { nil: {}, freq: 2 }),
    someDevice,
  )
  .map(([values, context, intervals, device]): Omit<Reading, 'atMs'> => ({
    ...values,
    ...context,
    ...intervals,
    ...device,
  }));

/** Seconds between two arriving readings. Negative for a late reading. */
const gapSeconds = fc.constantFrom(0, 0.001, 2, 2, 60, 120, 400, -5, -70);

/** Readings in order of arrival: some with the same timestamp, some late, some after all signals are stale. */
export const history: fc.Arbitrary<Reading[]> = fc
  .array(fc.tuple(someSensing, gapSeconds), { minLength: 1, maxLength: 12 })
  .map((arrivals) => {
    let atMs = startMs;
    return arrivals.map(([sensing, gap]) => {
      atMs += gap * 1000;
      return { ...sensing, atMs };
    });
  });

export function baselineAfter(readings: readonly Reading[]): Baseline | undefined {
  return advanceAll(readings).at(-1)?.baseline;
}

/** Typical values learned from an arbitrary history, or those of the population. */
export const typical: fc.Arbitrary<TypicalValues> = fc
  .option(history, { nil: undefined })
  .map((readings) => computeTypicalValues(readings && baselineAfter(readings), laterMs));

/** Age of a signal in ms, from fresh to nearly stale. */
export const ageMs = fc.integer({ min: 0, max: model.age.stale_after_seconds * 1000 - 1 });

/** Signals with various ages at `nowMs`. Any signal may be missing. */
export const signals: fc.Arbitrary<Signals> = fc.record(
  {
    heart_rate: aged('heart_rate'),
    sdnn: aged('sdnn'),
    rmssd: aged('rmssd'),
    tone: aged('tone'),
    expression: aged('expression'),
    sentiment: aged('sentiment'),
    urgency: aged('urgency'),
  },
  { requiredKeys: [] },
);

/** Returns signals measured at one time. */
export function measured(values: SignalValues, atMs = nowMs): Signals {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, atMs }]));
}

/** Returns the input of the score: the signals with the measured heart rate, without movement. */
export function situationOf(all: Signals, known: TypicalValues): ScoreInput {
  const bpm = all.heart_rate?.value;
  const heart: HeartRateLevel | undefined = bpm === undefined ? undefined : { bpm, fastBpm: bpm, isConfirmed: true };
  return { signals: all, typical: known, heart, explainedBpm: 0 };
}

/** The state published shortly before `nowMs`, or none. */
export const held: fc.Arbitrary<PublishedState | undefined> = fc.option(
  fc
    .record({
      score: fc.integer({ min: 0, max: model.score_max }),
      agoSeconds: fc.constantFrom(1, 5, 60, 120),
      dwell: fc.double({ min: -2000, max: 2000, noNaN: true }),
      expressed: fc.double({ min: -3, max: 3, noNaN: true }),
    })
    .map(({ agoSeconds, ...rest }) => ({ ...rest, atMs: nowMs - agoSeconds * 1000 })),
  { nil: undefined },
);

/** Concentrated work explains a heart rate, so its labels have no place in the order of stress. */
const isStress = (label: string) => !(label in model.load.log_odds);

/** Two values of one signal, the less stressful value first. */
export const worsening: fc.Arbitrary<readonly [SignalValues, SignalValues]> = fc.oneof(
  pairOf('heart_rate', (a, b) => a - b),
  pairOf('sdnn', (a, b) => b - a),
  pairOf('rmssd', (a, b) => b - a),
  pairOf('tone', (a, b) => model.tone_points[a] - model.tone_points[b], isStress),
  pairOf('expression', (a, b) => model.expression_points[a] - model.expression_points[b], isStress),
  pairOf('sentiment', (a, b) => b - a),
  pairOf('urgency', (a, b) => model.urgency_log_odds[a] - model.urgency_log_odds[b]),
);

/** Generates two orders of the same readings. */
export function inTwoOrders<T>(items: fc.Arbitrary<T[]>): fc.Arbitrary<readonly [T[], T[]]> {
  return items.chain((one) => fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length })));
}

function numberOf(name: Signal): fc.Arbitrary<number> {
  const { minimum: min, maximum: max } = contract[name];
  // Includes whole numbers, so that equal values and band edges occur.
  return fc.oneof(fc.double({ min, max, noNaN: true }), fc.integer({ min, max }));
}

function aged<N extends SignalName>(name: N) {
  return fc.tuple<[Value<N>, number]>(anyOf[name], ageMs).map(([value, age]) => ({ value, atMs: nowMs - age }));
}

function pairOf<N extends SignalName>(
  name: N,
  compare: (a: Value<N>, b: Value<N>) => number,
  isOrdered: (value: Value<N>) => boolean = () => true,
) {
  const signal = (value: Value<N>): SignalValues => ({ [name]: value });
  return fc
    .tuple<[Value<N>, Value<N>]>(anyOf[name].filter(isOrdered), anyOf[name].filter(isOrdered))
    .map(([a, b]) => (compare(a, b) <= 0 ? ([signal(a), signal(b)] as const) : ([signal(b), signal(a)] as const)));
}

/** Returns the step of the last reading. `readings` must not be empty. */
export function advanceTo(readings: readonly Reading[], known?: Baseline): SessionStep {
  const last = advanceAll(readings, known).at(-1);
  if (!last) throw new Error('no readings');
  return last;
}

/** Arbitrary text with many token boundaries. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('\0', '\ud800', '\udfff', '😀', '한', 'ﷺ', "'", '.', '?', ' ', 'a', 'é', '\n'),
    maxLength: 4096,
  }),
  fc
    .array(fc.constantFrom('not', 'my', 'boss', 'exam', 'lonely', 'i', 'died', 'rent', 'no', 'mom', '~', '!'), {
      maxLength: 900,
    })
    .map((words) => words.join(' ')),
);
