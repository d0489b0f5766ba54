import type { Field } from '../signals.js';
import {
  isObject,
  measure,
  unread,
  readAt,
  readList,
  readText,
  type Source,
  SourceFormError,
  withOrder,
} from './source.js';

const types: readonly (readonly [RegExp, Field])[] = [
  [
    /^(heart rate|herzfrequenz|fréquence cardiaque|frecuencia cardiaca|frequenza cardiaca|frequência cardíaca|hartslag|心拍数|心率|심박수|пульс|heart_?rate|bpm|hr|pulse)$/iu,
    'heart_rate',
  ],
  [/^heart rate variability/i, 'sdnn'],
  [/^respiratory rate$/i, 'respiratory_rate'],
  [/^(steps|step count)$/i, 'steps_last_minute'],
];

/** "Get Contents of URL" of Apple Shortcuts: a list of times and one of values, whose lengths may differ. */
export const appleShortcuts: Source = {
  name: 'Apple Shortcuts',
  reads: 'heart rate, heart rate variability (SDNN), respiratory rate or steps',
  *read(body, time) {
    if (!isObject(body) || !('dates' in body) || !('values' in body))
      throw new SourceFormError('no lists `dates` and `values`');
    const [dates, values] = [readTexts(body['dates']), readTexts(body['values'])];
    const zoned = withOrder(time, dates);
    const type = readText(body['type']);
    const [, field] = types.find(([name]) => name.test(type)) ?? [];
    for (let index = 0; index < Math.max(dates.length, values.length); index += 1)
      yield field ? measure(field, readAt(dates[index], zoned), values[index]) : unread;
  },
};

/** Shortcuts sends a list of one value, or a list in a field of text, as lines. */
function readTexts(value: unknown): readonly unknown[] {
  if (typeof value === 'string') return value.split('\n').filter((line) => line.trim() !== '');
  return typeof value === 'number' ? [value] : readList(value);
}
