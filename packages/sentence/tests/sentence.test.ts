import { expect, test } from 'vitest';
import { enums } from '../../../generated/spec.js';
import type { StateReading, SummaryRow } from '../../client/src/index.js';
import { languages, messages } from '../messages.js';
import { headlineMax, writeHeadline } from '../headline.js';
import { describePerson, type Present } from '../sentence.js';
import { findUsualHours, measureStress } from '../usual.js';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const nowMs = new Date(2026, 10, 25, 14, 40).getTime();
const iso = (atMs: number) => new Date(atMs).toISOString();

/** Returns the row of the hour of UTC that begins at a time or after it, whatever the zone of the reader is. */
function row(atMs: number, stressed = 0, readings = 12, mean = 30): SummaryRow {
  const state_seconds = { calm: 0, relaxed: 3_600 - stressed, focused: 0, stressed, acute_stress: 0 };
  return {
    start: iso(Math.ceil(atMs / hourMs) * hourMs),
    readings,
    state_seconds,
    stress_score: { mean, min: mean, max: mean },
    topics: [],
  };
}

/** Returns the hours of days before today and of today from 08:00 on, each with the same stress, seconds. */
function hoursOf(days: number, stressed = 0): SummaryRow[] {
  return Array.from({ length: days + 1 }, (_, index) => days - index).flatMap((ago) =>
    [8, 9, 10, 11, 12, 13, 14].map((hour) => row(new Date(2026, 10, 25 - ago, hour).getTime(), stressed)),
  );
}

function stateOf(minutes: number, part: Partial<StateReading> = {}): StateReading {
  const timestamp = iso(nowMs - 10_000);
  const since = iso(nowMs - 10_000 - minutes * minuteMs);
  const action_reason = 'Heart rate 24 bpm above your typical, tense voice.';
  const state = { state: 'stressed', stress_score: 68, timestamp, state_since: since, action_reason } as const;
  return { ...state, contributions: { neutral: 33, cardiovascular: 24, vocal: 11, held: 0 }, ...part } as StateReading;
}

const point = { timestamp: iso(nowMs - 10_000), state: 'stressed', stress_score: 68, confidence: 1 } as const;
const turn = { ...point, model_version: 3, heart_rate: 92.4, topics_detected: ['workload'] };
const heart = { typical_bpm: 68.2, resting_bpm: 60, own_share: 0.9, learned_seconds: 9_000, histogram: [] };
const baseline = { heart_rate: { ...heart, latest: { timestamp: iso(nowMs), bpm: 92, learned: true } } };
const full: Present = {
  nowMs,
  state: stateOf(12),
  points: [turn],
  baseline,
  triggers: { active: [] },
  hours: hoursOf(4),
};

test.each<readonly [Partial<Present>, string]>([
  [
    {},
    'Stressed for 12 minutes, more than usual at this hour; heart rate 24 above usual, a strained voice, the talk about work.',
  ],
  [{ hours: hoursOf(3) }, 'Stressed for 12 minutes; heart rate 24 above usual, a strained voice, the talk about work.'],
  [
    { hours: hoursOf(4, 900) },
    'Stressed for 12 minutes, not more than usual at this hour; heart rate 24 above usual, a strained voice, the talk about work.',
  ],
  [
    { triggers: { active: ['workload'] }, points: [{ ...turn, heart_rate: 60 }], hours: [] },
    'Stressed for 12 minutes; a strained voice, the talk about work, which goes with more stress.',
  ],
  [
    { baseline: { heart_rate: { ...baseline.heart_rate, own_share: 0.2 } }, hours: [] },
    'Stressed for 12 minutes; heart rate 92, usual one not learned yet, a strained voice, the talk about work.',
  ],
  [{ state: stateOf(0), points: [], hours: [] }, 'Stressed in one reading at 14:39; a strained voice.'],
  [{ state: stateOf(0.5), points: [], hours: [] }, 'Stressed since 14:39; a strained voice.'],
  [{ state: stateOf(12, { evidence: 'none' }), hours: [] }, 'State unknown: no signal counts now.'],
  [{ state: stateOf(12, { evidence: 'weak' }), hours: [] }, 'State unknown: nothing in the words stands out.'],
  [
    { state: stateOf(12, { confidence: 0.49 }), points: [], hours: [] },
    'Stressed for 12 minutes; a strained voice; uncertain, because the signals are few, old or disagree.',
  ],
  [
    { state: stateOf(12, { timestamp: iso(nowMs - 2 * dayMs) }), hours: [] },
    'Last known state: stressed on 23 November at 14:40, which does not count now, because every signal is older than 5 minutes; nothing was measured in the last four weeks.',
  ],
  [
    {
      state: stateOf(40, { state: 'calm', contributions: { neutral: 33, cardiovascular: -4, vocal: -12, held: 0 } }),
      points: [{ ...turn, heart_rate: 70, topics_detected: [] }],
    },
    'Calm for 40 minutes; a calm voice, heart rate as usual; no stress today in 7 hours measured, about as much stress as usual by this hour.',
  ],
  [
    { state: stateOf(12, { timestamp: iso(nowMs - hourMs) }), hours: hoursOf(0, 600), firstMs: nowMs - hourMs },
    'Last known state: stressed at 13:40, which does not count now, because every signal is older than 5 minutes; 1 hour 10 minutes of stress today in 7 hours measured; less certain, because the service does not know the person yet.',
  ],
  [
    { state: stateOf(12, { timestamp: iso(nowMs - 2 * dayMs) }), hours: [row(nowMs - hourMs, 300, 1)] },
    'Stress in one reading today; all readings were imported, so the present state is unknown.',
  ],
  [
    { state: undefined, hours: [row(nowMs - hourMs, 300, 1)] },
    'Stress in one reading today; all readings were imported, so the present state is unknown.',
  ],
  [
    { state: undefined, hours: hoursOf(4).slice(0, -7) },
    'Nothing was measured today; the newest measured day is 24 November.',
  ],
  [{ state: undefined, hours: [] }, 'Nothing was measured in the last four weeks.'],
])('%#: the sentence is composed from the fields that are known', (part, expected) => {
  expect(describePerson({ ...full, ...part })).toBe(expected);
});

const held = 'The state is held at stressed until the calmer signals last: calm voice.';

test.each<readonly [Partial<Present>, english: string, german: string]>([
  [
    {},
    'Stressed for 12 min: heart rate 24 above usual. Suggest a short break.',
    'Gestresst seit 12 min: Puls 24 über dem Üblichen. Rate zu einer Pause.',
  ],
  [
    { isToPerson: true, state: stateOf(125, { state: 'acute_stress', confidence: 0.4 }), points: [] },
    'Acute stress (uncertain): a strained voice. Take a break now.',
    'Akuter Stress (unsicher): angespannte Stimme. Mach jetzt eine Pause.',
  ],
  [
    { state: stateOf(0, { contributions: { neutral: 33, held: 0 } }) },
    'Stressed: the talk about work. Suggest a short break.',
    'Gestresst: das Gespräch über Arbeit. Rate zu einer Pause.',
  ],
  [
    { state: stateOf(5, { confidence: 0.4 }), baseline: {} },
    'Stressed (uncertain): raised heart rate. Suggest a short break.',
    'Gestresst seit 5 min (unsicher): erhöhter Puls. Rate zu einer Pause.',
  ],
  [
    { state: stateOf(12, { action_reason: held }) },
    'Stressed for 12 min: kept until calm lasts. Suggest a short break.',
    'Gestresst seit 12 min: gilt, bis Ruhe anhält. Rate zu einer Pause.',
  ],
  [{ state: stateOf(1, { state: 'calm' }) }, 'Calm for 1 min: the talk about work. Go slowly.', ''],
  [{ state: stateOf(1, { state: 'calm' }), points: [] }, 'Calm for 1 min. Nothing to do.', ''],
  [{ state: stateOf(1, { evidence: 'none' }) }, 'State unknown: no signal counts now. Check the device.', ''],
  [
    { state: stateOf(1, { timestamp: iso(nowMs - hourMs) }) },
    'Not measured since 13:40, stressed before. Check the device.',
    'Seit 13:40 nicht gemessen, davor gestresst. Prüfe das Gerät.',
  ],
  [{ state: undefined, hours: [row(nowMs - dayMs)] }, 'Not measured since 24 November. Check the device.', ''],
  [{ state: undefined }, 'State now unknown: all readings were imported. Connect a device.', ''],
  [{ state: undefined, hours: [] }, 'Nothing was measured in the last four weeks. Connect a device.', ''],
])('%#: the first line has the state, one cause and one thing to do', (part, english, german) => {
  expect(writeHeadline({ ...full, ...part })).toBe(english);
  if (german) expect(writeHeadline({ ...full, ...part }, 'de')).toBe(german);
});

test('the first line has at most 70 characters in each language, and says that it is uncertain', () => {
  const words = { neutral: 33, held: 0 };
  const causes = [{ cardiovascular: 24 }, { vocal: 11 }, { visual: -11 }, { textual: 11 }, { textual: -11 }, {}];
  const states = ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'] as const;
  for (const language of languages)
    for (const [minutes, confidence] of [
      [0, 0.4],
      [0.5, 1],
      [10.1, 0.4],
      [1_439, 0.4],
    ] as const)
      for (const cause of causes)
        for (const [state, topic] of states.flatMap((it) =>
          ['workload', 'anxiety', 'decisions'].map((to) => [it, to] as const),
        ))
          for (const isToPerson of [true, false]) {
            const of = stateOf(minutes, { state, confidence, contributions: { ...words, ...cause } });
            const points = [{ ...turn, heart_rate: 215, topics_detected: [topic] }];
            for (const part of [{}, { action_reason: held }]) {
              const text = writeHeadline({ ...full, isToPerson, state: { ...of, ...part }, points }, language);
              expect(text.length, text).toBeLessThanOrEqual(headlineMax);
              expect(text).toMatch(confidence < 0.5 ? /\((uncertain|unsicher)\)/ : /^[^(]+\.$/);
            }
          }
});

test.each(languages)(
  'a raised heart rate is said once, with its alternatives and without an illness: %s',
  (language) => {
    const since = iso(nowMs - 35 * minuteMs);
    const say = (likely: NonNullable<StateReading['raised']>['likely'], part: Partial<StateReading> = {}) =>
      describePerson({ ...full, state: stateOf(12, { raised: { since, likely }, ...part }), hours: [] }, language);
    expect(new Set(enums.RaisedCause.map((it) => say(it))).size).toBe(6);
    for (const likely of enums.RaisedCause) {
      expect(say(likely)).toMatch(likely === 'all_day' ? /most of the day|größten Teil/ : /14:05/);
      expect(say(likely)).not.toMatch(/fever|ill\b|sick|disease|fieber|krank|infekt/i);
    }
    expect(say('unknown', { state: 'relaxed' })).not.toMatch(/14:05/);
    const head = (likely: NonNullable<StateReading['raised']>['likely'], part: Partial<StateReading> = {}) => {
      const contributions = { neutral: 33, held: 0, cardiovascular: 24 };
      const state = stateOf(12, { contributions, raised: { since, likely }, ...part });
      const points = [{ ...point, model_version: 3, heart_rate: 215 }];
      return [true, false]
        .map((isToPerson) => writeHeadline({ ...full, state, points, isToPerson }, language))
        .join(' ');
    };
    for (const likely of enums.RaisedCause.filter((it) => it !== 'stress')) {
      expect(head(likely)).not.toMatch(/^(Stressed|Gestresst)/);
      expect(head(likely).length).toBeLessThanOrEqual(2 * headlineMax + 1);
    }
    expect(head('stress')).toMatch(/^(Stressed|Gestresst)/);
    expect(head('unknown', { state: 'relaxed' })).toMatch(/^(Relaxed|Entspannt)/);
    expect(say('all_day', { state: 'relaxed' })).toMatch(/most of the day|größten Teil/);
  },
);

test('a voice or face that is not strained is named by its label', () => {
  const sentence = (label: object, contributions: object) =>
    describePerson({
      ...full,
      state: stateOf(12, { contributions: { neutral: 33, held: 0, ...contributions } }),
      points: [{ ...point, model_version: 3, ...label }],
      hours: [],
    });
  expect(sentence({ tone: 'focused' }, { vocal: 9 })).toBe('Stressed for 12 minutes; a focused voice.');
  expect(sentence({ tone: 'tense' }, { vocal: 9 })).toBe('Stressed for 12 minutes; a strained voice.');
  expect(sentence({ expression: 'concentrated' }, { visual: 9 })).toBe('Stressed for 12 minutes; a concentrated face.');
});

test('a topic that was removed is not mentioned', () => {
  const sentence = (triggers: object) =>
    describePerson({ ...full, hours: [], triggers: { active: [], triggers } as Present['triggers'] & object });
  expect(sentence({ workload: {} })).toMatch(/the talk about work/);
  expect(sentence({ debt: {} })).not.toMatch(/talk/);
});

test('the sentence to the person does not speak of a third person', () => {
  const first = { state: undefined, hours: hoursOf(0, 600), firstMs: nowMs - hourMs } as const;
  const active: Partial<Present> = { triggers: { active: ['workload'] }, hours: [] };
  const say = (part: Partial<Present>) => describePerson({ ...full, ...part, isToPerson: true }, 'de');
  expect(say(first)).toMatch(/weil der Dienst dich noch nicht kennt;/);
  expect(say(active)).toMatch(/das Gespräch über Arbeit, das bei dir mit mehr Stress einhergeht\.$/);
  for (const part of [first, active]) expect(say(part)).not.toMatch(/Person|Auslöser/);
});

test('a day is compared with at least four days that were measured as long up to this hour', () => {
  const ended = { ...full, state: undefined };
  const today = (stressed: number) => hoursOf(0, stressed);
  const others = (days: number) => hoursOf(days, 600).slice(0, -7);
  const sentence = (hours: SummaryRow[]) => describePerson({ ...ended, hours });
  expect(sentence([...others(4), ...today(1_200)])).toMatch(/measured, more stress than usual by this hour;/);
  expect(sentence([...others(4), ...today(60)])).toMatch(/, less stress than usual by this hour;/);
  expect(sentence([...others(3), ...today(1_200)])).not.toMatch(/usual/);
  // Days with one measured hour are no such days.
  expect(sentence([...others(4).filter((_, index) => index % 7 === 0), ...today(1_200)])).not.toMatch(/usual/);
});

test('the usual band of an hour is that of four other days or more, and of no later day', () => {
  const hours = [5, 4, 3, 2, 0].map((ago, index) =>
    row(nowMs - ago * dayMs - (nowMs % hourMs), 0, 12, 20 + index * 10),
  );
  expect(findUsualHours(hours, nowMs)).toEqual([{ hour: 14, low: 27.5, high: 42.5, days: 4 }]);
  expect(findUsualHours(hours, nowMs - 2 * dayMs)).toEqual([]);
});

test('one reading of stress has no duration, also where its state lasts into the next hour', () => {
  expect(measureStress([row(0, 120, 1), row(hourMs, 180, 0), row(2 * hourMs, 600)])).toEqual({ seconds: 600, lone: 1 });
});

test('each message has the same values in each language', () => {
  const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([it]) => it).toSorted();
  for (const row of Object.values(messages))
    for (const it of languages) expect(values(row[it])).toEqual(values(row.en));
  expect(describePerson(full, 'de')).toBe(
    'Gestresst seit 12 Minuten, mehr als sonst um diese Zeit; Puls 24 über dem Üblichen, angespannte Stimme, das Gespräch über Arbeit.',
  );
});

test('what the service did not observe is named, is no calm, and makes no day usual', () => {
  const absent = (ago: number, hour: number, hours: number) => {
    const [from, to] = [hour, hour + hours].map((it) => iso(new Date(2026, 10, 25 - ago, it).getTime()));
    return { from: from ?? '', to: to ?? '' };
  };
  const say = (part: Partial<Present>, language: 'en' | 'de' = 'en') =>
    describePerson({ nowMs, hours: hoursOf(4), ...part }, language).replace(/; all readings were imported[^;.]*/, '');
  const measured = 'No stress today in 7 hours measured';
  expect(say({})).toBe(`${measured}, about as much stress as usual by this hour.`);
  expect(say({ absences: [absent(0, 10, 2)] })).toBe(`${measured}; 2 hours not observed.`);
  expect(say({ absences: [absent(1, 10, 2)] })).toBe(`${measured}.`);
  // Outside of the measured hours, e.g. of a computer that sleeps at night.
  expect(say({ absences: [absent(0, 2, 3), absent(1, 2, 3)] })).toBe(
    `${measured}, about as much stress as usual by this hour; 3 hours not observed.`,
  );
  expect(say({ hours: [], absences: [absent(0, 12, 9)] }, 'de')).toBe(
    'Seit vier Wochen wurde nichts gemessen; 2 Stunden 40 Minuten nicht beobachtet.',
  );
  expect(describePerson({ ...full, absences: [absent(2, 14, 1)] })).toBe(
    describePerson({ ...full, hours: hoursOf(3) }),
  );
});
