import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findSide } from '../evaluate/protocol/tasks.js';
import { sampleRecording } from '../../../testkit/sample-recording.js';
import { variantsFor } from '../evaluate/scores/variants.js';
import { readWindows } from '../recordings/read-windows.js';

const header = 'subject,task,label,heart_rate,sdnn\n';

test('a recording with only heart rate, such as the sample, supports every variant that requires no other signal', async () => {
  const windows = readWindows(await readFile(sampleRecording, 'utf8'));
  expect(variantsFor(windows).map(({ name }) => name)).toEqual([
    'cold',
    'personal',
    'personal, no subject_id',
    'ablation: no baseline',
  ]);
  expect(new Set(windows.map(findSide))).toEqual(new Set(['rest', 'stressor']));
});

test('a recording with heart rate and SDNN supports the variants that withhold one of the two', () => {
  const names = variantsFor(readWindows(`${header}p1,Math,stressor,90,30\n`)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['ablation: no variability', 'ablation: no heart rate']));
});

test('a recording with SDNN and RMSSD supports the variants that use only one of the two', () => {
  const both = 'subject,task,label,heart_rate,sdnn,rmssd\np1,Math,stressor,90,30,25\n';
  const names = variantsFor(readWindows(both)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['rmssd instead of sdnn', 'sdnn instead of rmssd']));
});

test('guided breathing and the baseline are not compared with stressors', () => {
  const windows = readWindows(`${header}p1,Breathing,rest,60,90\np1,Baseline,baseline,60,50\np1,Relax,rest,60,50\n`);
  expect(windows.filter((it) => findSide(it) !== undefined).map(({ task }) => task)).toEqual(['Relax']);
});
