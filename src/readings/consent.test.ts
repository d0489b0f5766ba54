import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadTextModel } from '../../packages/text/model.js';
import { createTextAnalyzer } from '../../packages/text/texts.js';
import { advanceTo, startMs } from '../../testkit/arbitraries.js';
import { ProblemError } from '../contract/problem.js';
import type { ConsentCategory, Subject } from '../../packages/score/rows/person.js';
import { unknownSubject } from '../../packages/score/triggers.js';
import { beginProgress } from './advance.js';
import { applyConsent } from './consent.js';
import type { PreparedReading } from './prepared-reading.js';

const weights = readFileSync(new URL('../../packages/text/weights/text.bin', import.meta.url));
const turn = createTextAnalyzer(loadTextModel(weights)).analyzeTurn({
  user_message: 'My exam is tomorrow.',
  ai_response: 'Which part?',
});
const { baseline } = advanceTo([{ atMs: startMs - 60_000, heart_rate: 70 }]);
const all = { count: 3, sum: 120, squares: 5_000 };
const turns = { all, open: [] } as unknown as NonNullable<Subject['turns']>;

/** Applies the consent of a person to a reading whose texts were analyzed. */
function applyTo(categories: readonly ConsentCategory[]) {
  const consent = { version: 1, categories, context: 'care' as const };
  const progress = beginProgress({
    ...{ sessions: new Map(), alreadyStored: new Map(), erasedAtMs: () => 0, nowMs: startMs },
    subjects: new Map([['anna', { ...unknownSubject, baseline, consent, turns }]]),
  });
  const check = { hasPurpose: false, texts: ['user_message', 'ai_response'], isTextRead: true };
  const reading: PreparedReading = {
    ...{ accountId: 'acc_1', sessionId: 'talk', subjectId: 'anna', digest: '0123456789ab', timestampMs: startMs },
    ...{ signals: { heart_rate: 80, tone: 'calm' }, turn },
    consent: check,
  };
  const permitted = applyConsent(progress, undefined, reading, check);
  if (permitted instanceof ProblemError) throw permitted;
  return {
    ...permitted,
    baseline: progress.subjects.get('anna')?.baseline,
    turns: progress.subjects.get('anna')?.turns,
  };
}

test('a text that was analyzed before the withdrawal of texts is dropped with its topics', () => {
  expect(applyTo(['cardiovascular', 'textual'])).toMatchObject({ reading: { turn }, dropped: ['tone'] });
  const { reading, dropped } = applyTo(['cardiovascular']);
  expect(reading).not.toHaveProperty('turn');
  expect(dropped).toEqual(['tone', 'user_message', 'ai_response']);
});

test('a reading without heart data that is allowed removes the baseline of the person', () => {
  expect(applyTo(['cardiovascular']).baseline).toBe(baseline);
  expect(applyTo(['vocal']).baseline).toBeUndefined();
});

test('the heart rate is followed after a turn only if heart data and texts are allowed', () => {
  expect(applyTo(['cardiovascular', 'textual']).turns).toEqual(turns);
  for (const categories of [['cardiovascular'], ['textual', 'vocal']] as const)
    expect(applyTo(categories).turns).toEqual({ all });
});
