import fc from 'fast-check';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'vitest';
import { enums } from '../../generated/spec.js';
import { toHistory } from '../../src/contract/history.js';
import { toStateReading } from '../../src/contract/state-reading.js';
import {
  advanceAll,
  advanceTo,
  ageMs,
  anyOf,
  anyValues,
  baselineAfter,
  held,
  history,
  inTwoOrders,
  laterMs,
  laws,
  measured,
  nowMs,
  signals,
  situationOf,
  someSensing,
  someStored,
  someValues,
  startMs,
  typical,
  worsening,
} from '../../testkit/arbitraries.js';
import { checkLaw, law } from '../../testkit/law.js';
import { seededRandom } from '../tools/terminal/scenes.js';
import { computeTypicalValues } from './baseline.js';
import { stressModel as model } from './model.js';
import type { Baseline } from './rows/person.js';
import type { Session } from './rows/session.js';
import type { SignalValues } from './rows/values.js';
import { advanceSession, type SessionStep } from './session.js';
import type { Reading } from './signals.js';
import { publishScore } from './states.js';
import { fuseEvidence } from './stress.js';

/** Each case is an hour of readings, so the default number of cases is lower. NOISE_RUNS=10000 takes minutes. */
const noiseLaw = { numRuns: Number(process.env['NOISE_RUNS'] ?? 10) };
const noiseLimitMs = 20 * 60_000;

const newestOf = (readings: readonly Reading[]) => Math.max(...readings.map(({ atMs }) => atMs));
const stateByEdges = (score: number) => enums.State[Math.min(4, Math.floor(score / 20))];

test('after any history, the score is an integer from 0 to 100 and the confidence is from 0 to 1', () => {
  checkLaw(history, (readings) => {
    for (const { computed, point } of advanceAll(readings))
      for (const { score, confidence } of [computed, point]) {
        if (!Number.isInteger(score) || score < 0 || score > 100) return false;
        if (!(confidence >= 0 && confidence <= 1)) return false;
      }
    return true;
  });
});

law('valid input never causes NaN or infinity in a response, point, session or baseline', history, (readings) => {
  for (const { computed, point, baseline, session } of advanceAll(readings)) {
    for (const part of [
      toStateReading('s1', computed),
      point,
      baseline,
      session,
      computeTypicalValues(baseline, laterMs),
    ])
      if (hasUnnumber(part)) return false;
    if (/NaN|Infinity|undefined/.test(computed.reason)) return false;
  }
  return true;
});

test('a signal that is stored only is in the history and changes no score, reason, session or baseline', () => {
  checkLaw(history, fc.array(someStored, { minLength: 12 }), (readings, stored) => {
    const effectOf = ({ computed, session, baseline }: SessionStep) => ({ computed, session, baseline });
    const plain = advanceAll(readings);
    const steps = advanceAll(readings.map((reading, index) => ({ ...reading, ...stored[index] })));
    const isStored = steps.every(({ point: { measured } }, index) =>
      isDeepStrictEqual(measured, { ...plain[index]?.point.measured, ...stored[index] }),
    );
    return isStored && isDeepStrictEqual(steps.map(effectOf), plain.map(effectOf));
  });
});

test('the state is the band of the published score, in responses and in the history', async () => {
  await fc.assert(
    fc.asyncProperty(history, async (readings) => {
      const steps = advanceAll(readings);
      const computedStates = steps.map(({ computed }) => toStateReading('s1', computed));
      const points = steps.map(({ point }) => point);
      const { datapoints } = await toHistory({ session_id: 's1' }, 60, points);
      return [...computedStates, ...datapoints].every(
        ({ state, stress_score }) => state === stateByEdges(stress_score),
      );
    }),
    laws,
  );
});

test('a more stressful value of one signal never lowers the score', () => {
  checkLaw(signals, worsening, ageMs, typical, held, (others, [milder, harsher], age, known, before) => {
    const firstAtMs = (before?.atMs ?? nowMs) - (age % 120_000);
    const [lower, upper] = [milder, harsher].map((values) => {
      const all = { ...others, ...measured(values, nowMs - age) };
      return publishScore(fuseEvidence(situationOf(all, known), nowMs), before, nowMs, firstAtMs).score;
    });
    return Number(lower) <= Number(upper);
  });
});

// Excludes heart rates: a heart rate above a limit indicates movement or a sensor error.
test('adding a stressful signal other than heart rate to a reading never lowers its score', () => {
  const others = worsening.filter(([values]) => values.heart_rate === undefined);
  checkLaw(history, fc.integer({ min: 0, max: 400_000 }), someValues, others, (before, gapMs, more, pair) => {
    const { session, baseline } = advanceTo(before);
    const [lower, upper] = pair.map((values) => {
      const reading = { ...more, ...values, atMs: newestOf(before) + gapMs };
      return advanceSession(session, reading, baseline).computed.score;
    });
    return Number(lower) <= Number(upper);
  });
});

test('a higher heart rate never lowers the score while stress explains it', () => {
  const lowest = model.heart_rate.population_resting_bpm - model.plausibility.below_rest_bpm;
  const bpm = fc.double({ min: lowest, max: lowest + model.plausibility.jump_bpm, noNaN: true });
  checkLaw(bpm, bpm, bpm, fc.integer({ min: 1, max: 400 }), anyValues, (first, one, other, gap, more) => {
    const { session, baseline } = advanceTo([{ ...more, heart_rate: first, atMs: startMs }]);
    const [lower, upper] = [Math.min(one, other), Math.max(one, other)].map((heart_rate) => {
      return advanceSession(session, { heart_rate, atMs: startMs + gap * 1000 }, baseline).computed.score;
    });
    return Number(lower) <= Number(upper);
  });
});

test('an older signal is weaker evidence than a newer signal', () => {
  checkLaw(worsening, ageMs, fc.integer({ min: 1, max: 400_000 }), typical, ([, values], age, older, known) => {
    const strength = (atAgeMs: number) =>
      Math.abs(fuseEvidence(situationOf(measured(values), known), nowMs + atAgeMs).drivers[0]?.logOdds ?? 0);
    // Excludes the smallest doubles, because they cannot be halved.
    return strength(age + older) < strength(age) || strength(age) < Number.MIN_VALUE / Number.EPSILON;
  });
});

law('a stale signal is no evidence', history, someValues, (before, values) => {
  const { session, baseline } = advanceTo(before);
  const reading = { ...values, atMs: newestOf(before) + 300_000 };
  const alone = advanceSession(undefined, reading, baseline).computed;
  const { score, confidence, reason } = advanceSession(session, reading, baseline).computed;
  return isDeepStrictEqual([confidence, reason, score], [alone.confidence, alone.reason, alone.score]);
});

test('the order of arrival of readings with the newest timestamp changes no score, reason or baseline', () => {
  const group = inTwoOrders(fc.array(someSensing, { minLength: 2, maxLength: 4 }));
  checkLaw(fc.option(history, { nil: [] }), group, someValues, (before, orders, after) => {
    const atMs = Math.max(startMs, ...before.map((reading) => reading.atMs)) + 1000;
    const [one, other] = orders.map((order) => {
      const simultaneous = order.map((values): Reading => ({ ...values, atMs }));
      const end = advanceTo([...before, ...simultaneous]);
      const next = advanceSession(end.session, { ...after, atMs: atMs + 90_000 }, end.baseline);
      return [orderFree(end), orderFree(next)];
    });
    return isDeepStrictEqual(one, other);
  });
});

test('a late reading that is the newest for no signal does not change the session', () => {
  checkLaw(history, someValues, fc.integer({ min: 1, max: 200_000 }), (before, values, lateMs) => {
    // All signals have a current value, so no late signal is the newest.
    const now = newestOf(before) + 1000;
    const all = {
      heart_rate: 80,
      sdnn: 40,
      rmssd: 40,
      tone: 'calm',
      expression: 'neutral',
      sentiment: 0,
      urgency: 'low',
      atMs: now,
    } as const;
    const held = advanceTo([...before, all]);
    const late = advanceSession(held.session, { ...values, atMs: now - lateMs }, held.baseline);
    const moved = [late.session, late.baseline, unreceived(late)];
    return isDeepStrictEqual(moved, [held.session, held.baseline, unreceived(held)]);
  });
});

// Excludes late readings of two devices in the same millisecond: the session learns from the device that arrives first.
test('the order of arrival of late readings with the same timestamp changes no score, reason or baseline', () => {
  const late = fc.tuple(fc.array(someSensing, { minLength: 2, maxLength: 4 }), fc.constantFrom(undefined, 'watch'));
  const group = inTwoOrders(late.map(([all, source_device]) => all.map((it) => withDevice(it, source_device))));
  checkLaw(history, group, fc.integer({ min: 0, max: 100_000 }), (before, orders, lateMs) => {
    const atMs = newestOf(before) - lateMs;
    const [one, other] = orders.map((order) =>
      orderFree(advanceTo([...before, ...order.map((values): Reading => ({ ...values, atMs }))])),
    );
    return isDeepStrictEqual(one, other);
  });
});

law('a session and a baseline restored from JSON give the same results as those in memory', history, (readings) => {
  let session: Session | undefined;
  let baseline: Baseline | undefined;
  const computedStates = readings.map((reading) => {
    const step = advanceSession(session, reading, baseline);
    session = stored(step.session);
    baseline = stored(step.baseline);
    return [step.computed, step.point];
  });
  const kept = advanceAll(readings).map(({ computed, point }) => [computed, point]);
  return JSON.stringify(computedStates) === JSON.stringify(kept);
});

test(
  'two bpm of noise around a band edge cause at most two state changes per hour',
  {
    timeout: noiseLimitMs,
  },
  () => {
    const { heart_rate: _, ...otherSignals } = anyOf;
    const others = fc.record(otherSignals, { requiredKeys: [] });
    const edges = fc.constantFrom(20, 40, 60, 80);
    fc.assert(
      fc.property(
        others,
        edges,
        fc.boolean(),
        fc.boolean(),
        fc.integer(),
        (steady, edge, isLearning, isKnown, seed) => {
          const random = seededRandom(seed);
          const baseline = isKnown ? fiveHoursAround(62, random) : undefined;
          const centre = heartRateAt(edge, steady, baseline);
          fc.pre(centre !== undefined);
          let [last, changes]: [SessionStep | undefined, number] = [undefined, 0];
          for (let atMs = startMs; atMs < startMs + 3_600_000; atMs += 2000) {
            const reading = { ...steady, atMs, heart_rate: Number(centre) + 4 * random() - 2 };
            const step: SessionStep = advanceSession(
              last?.session,
              reading,
              isLearning && last ? last.baseline : baseline,
            );
            if (last && stateByEdges(step.computed.score) !== stateByEdges(last.computed.score)) changes += 1;
            last = step;
          }
          return changes <= 2;
        },
      ),
      noiseLaw,
    );
  },
);

function hasUnnumber(part: unknown): boolean {
  if (typeof part === 'number') return !Number.isFinite(part);
  return typeof part === 'object' && part !== null && Object.values(part).some(hasUnnumber);
}

/** Returns the fields of a session that a client sees, without those that depend on the order of arrival. */
function orderFree({
  session: { signals, recent, intervals, movement, latest, held, published },
  baseline,
}: SessionStep) {
  const { received, previousScore: _, ...rest } = latest;
  const now = { ...rest, received: [...received].sort() };
  return { signals, recent, intervals, movement, held, published, baseline, latest: now };
}

function withDevice({ source_device: _, ...sensing }: Omit<Reading, 'atMs'>, device: string | undefined) {
  return device === undefined ? sensing : { ...sensing, source_device: device };
}

function unreceived({ computed: { received: _, ...computed } }: SessionStep) {
  return computed;
}

function stored<T>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}

/** Returns the baseline of a person with one reading every two minutes until just before the start. */
function fiveHoursAround(bpm: number, random: () => number): Baseline | undefined {
  const readings = Array.from({ length: 150 }, (_, index) => ({
    atMs: startMs + (index - 150) * 120_000,
    heart_rate: bpm + 8 * random() - 4,
  }));
  return baselineAfter(readings);
}

/**
 * Returns the heart rate at which the fused value crosses the edge of a band. Undefined if no allowed heart rate does.
 */
function heartRateAt(edge: number, others: SignalValues, baseline: Baseline | undefined): number | undefined {
  const known = computeTypicalValues(baseline, startMs);
  const value = (bpm: number) =>
    fuseEvidence(situationOf(measured({ ...others, heart_rate: bpm }), known), nowMs).value;
  let [low, high] = [32, 218];
  if (value(low) > edge || value(high) < edge) return undefined;
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (value(middle) < edge) low = middle;
    else high = middle;
  }
  return low;
}
