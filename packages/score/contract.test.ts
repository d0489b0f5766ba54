import { expect, expectTypeOf, test } from 'vitest';
import * as spec from '../../generated/spec.js';
import type { Schema, Submission } from '../../src/contract/contract.js';
import { textSentiment } from '../text/settings.js';
import * as own from './generated/contract.js';
import type { Consent } from './rows/person.js';
import type { RrQuality, SharedSignal, TextValues } from './rows/session.js';
import type { TriggerStatus } from './rows/trigger.js';
import type { AllSignals, SignalCategory, State } from './rows/values.js';
import { neutralWords } from './signals.js';
import type { StateChange } from './states.js';

test('the constants of the score are those of the contract', () => {
  const { summaries, signalCategories, ...others } = own;
  expect(spec).toMatchObject({ ...others, summaries });
  expect(signalCategories).toEqual(spec.enums.SignalCategory);
  expect(neutralWords).toBe(-textSentiment.neutral_sentiment);
});

test('the types of the score are those of the contract', () => {
  expectTypeOf<AllSignals>().toExtend<Pick<Submission, keyof AllSignals>>();
  expectTypeOf<Pick<Submission, keyof AllSignals>>().toExtend<AllSignals>();
  expectTypeOf<State>().toEqualTypeOf<Schema<'State'>>();
  expectTypeOf<SignalCategory>().toEqualTypeOf<Schema<'SignalCategory'>>();
  expectTypeOf<RrQuality>().toEqualTypeOf<Schema<'RrQuality'>>();
  expectTypeOf<TriggerStatus>().toEqualTypeOf<Schema<'TriggerStatus'>>();
  expectTypeOf<Consent['categories'][number]>().toEqualTypeOf<Schema<'ConsentCategory'>>();
  expectTypeOf<Consent['context']>().toEqualTypeOf<Schema<'ConsentContext'>>();
  expectTypeOf<StateChange>().toEqualTypeOf<Schema<'StateChange'>>();
  expectTypeOf<SharedSignal>().toExtend<Schema<'SharedSignal'>>();
  expectTypeOf<TextValues>().toExtend<Schema<'DerivedValues'>>();
});
