import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readSafetyTexts } from '../../packages/text/training/safety.js';
import { readVoices } from '../../packages/text/training/voices.js';
import { findFold, foldTotal, readWithout } from './text/left-out.js';
import { quotientLine, shareLine } from './text/lines.js';
import { findThreshold } from './text/safety.js';

const data = mkdtempSync(join(tmpdir(), 'texts-'));
const files = {
  sad_dev: `sentence,is_stressor,top_label,second_label,avg_severity,source
Work is too much,1,Work,,7,Inquire
My rent is due,1,Financial Problem,,6,mTurk_synthetic
I lost my job,1,Work,,8,mTurk_synthetic_covid`,
  concerns_dev: 'id,text,label,area\n1,How do I stop worrying?,anxiety,emotional_wellbeing',
  everyday_dev: 'id,kind,text,intent\n1,request,what is on my list,list\n2,chat,I like that film,',
  goemotions_dev: 'kind,text\nglad_or_neutral,That was a good day',
};
for (const [name, content] of Object.entries(files)) writeFileSync(join(data, `${name}.csv`), content);
afterAll(() => rmSync(data, { recursive: true }));

test('a training has no text, under any source, that its model judges', () => {
  for (let fold = 0; fold < foldTotal; fold++) {
    const { sad, labeled, severity, safety } = readWithout(data, fold);
    const trained = [
      ...sad.map(({ sentence }) => sentence),
      ...[labeled, severity, safety].flat().map((it) => it.text),
    ];
    const judged = readSafetyTexts(data).filter(({ source, text }) =>
      [fold, 'every'].includes(findFold(source, text) ?? ''),
    );
    expect(judged.length).toBeGreaterThan(500);
    const known = new Set(trained);
    expect(judged.filter(({ text }) => known.has(text)).map(({ source }) => source)).toEqual([]);
    const sources = new Set([...severity.map(({ kind }) => kind), ...safety.map(({ source }) => source)]);
    // By voice, because two people can write the same few words.
    for (const { voice } of [...readVoices('choice'), ...readVoices('final')])
      expect(sources).not.toContain(`briefs/${voice}`);
  }
});

test('the voices of an author, a source of SAD and all chat are left out together', () => {
  expect([findFold('voices/teenager', 'a'), findFold('voices/non-native', 'b')]).toEqual([0, 0]);
  expect(findFold('sad/Inquire', 'a')).toBe(findFold('sad/InquireComposited', 'b'));
  expect(findFold('everyday/chat', 'a')).toBe('every');
  expect(findFold('severity/training/mild', 'a')).toBeUndefined();
});

const judge = (logOdds: number) => ({ logOdds });

test.each([
  [0.25, 1, [0, 0, 1, 1]],
  // Half of the texts between two thresholds.
  [0.125, 0.5, [0, 0, 0.5, 1]],
])('at a rate of %d, exactly this share of the other texts is a false alarm', (rate, alarms, found) => {
  const others = [0, 1, 2, 3].map(judge);
  const share = findThreshold(others, rate);
  expect([0.5, 1.5, 2.5, Infinity].map((it) => share(judge(it)))).toEqual(found);
  expect(others.reduce((sum, it) => sum + share(it), 0)).toBe(alarms);
});

test('a figure names its interval and whether its goal is met', () => {
  expect(shareLine('a', [1, 1, 0, 0], Number, { min: 0.5 })).toEqual([
    'a',
    '4',
    '50.0 %',
    '15.0 % – 85.0 %',
    '≥ 50.0 %',
    'yes',
  ]);
  expect(shareLine('a', [1, 0.5], Number, { max: 0.5 }).at(-1)).toBe('no');
  expect(shareLine('a', [0], Number)).toEqual(['a', '1', '0.0 %', '0.0 % – 79.3 %', '', '']);
  expect(
    quotientLine(
      'a',
      [
        [1, 1],
        [0, 1],
      ],
      { min: 0.8 },
    ).slice(2),
  ).toEqual(['0.50', '0.00 – 1.00', '≥ 0.80', 'no']);
});
