import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import published from '../../../docs/benchmark.json' with { type: 'json' };
import manifest from '../../../package.json' with { type: 'json' };
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { type Figures, measure } from '../evaluate/figures/figures.js';
import { scoreRows } from '../evaluate/scores/own-scores.js';
import { type Input, type TaskName, taskNames, tasks } from '../evaluate/protocol/tasks.js';
import { writeScores } from '../evaluate/scores/scores-file.js';
import { readRows } from '../evaluate/protocol/wearers.js';
import { areaOfLabel } from '../evaluate/protocol/weeks.js';
import { withEvaluatedService } from '../evaluate/scores/service.js';
import { seededRandom } from '../terminal/scenes.js';
import { expect, test } from '../../../testkit/test.js';
import { root, runTools } from './run-tools.js';

const range = (length: number) => Array.from({ length }, (_, index) => index);
const csv = (header: string, rows: readonly unknown[][]) =>
  [header, ...rows.map((cells) => cells.join(','))].join('\n');
/** Small files in the form of the public ones. Stressors are the second half of each recording. */
const files: Readonly<Record<string, string>> = {
  'stressid_hrv_dev.csv': csv(
    'subject,task,heart_rate,sdnn,rmssd,label',
    range(480).map((at) => [`p${at % 40}`, `T${at}`, 60 + (at % 9), 40, 30, at < 240 ? 'rest' : 'stressor']),
  ),
  'speech_dev.csv': csv(
    'subject,time,heart_rate,label',
    range(60).map((at) => [`p${at % 3}`, 10 * (at - (at % 3)), at < 30 ? 65 : 90, at < 30 ? 'rest' : 'speech']),
  ),
  'wrist_dev.csv': csv(
    'subject,second,heart_rate,label',
    range(1200).map((at) => ['w', at, 65 + Math.max(0, (at - 600) / 24), at < 600 ? 'rest' : 'stressor']),
  ),
  'nurses_dev.csv': csv(
    'subject,utc_minute,heart_rate,motion_g',
    // Nobody asked the second nurse.
    ['n', 'm'].flatMap((who) => range(40).map((at) => [who, `2020-04-14T17:${10 + at}`, at < 20 ? 70 : 95, ''])),
  ),
  'nurses_labels_dev.csv': csv('subject,utc_from,utc_to,stress', [
    ['n', '2020-04-14T17:10', '2020-04-14T17:20', 'none'],
    ['n', '2020-04-14T17:40', '2020-04-14T17:50', 'high'],
  ]),
  'concerns_dev.csv': csv('id,text', [
    [0, '"I feel so hopeless, I cry every night.\nNothing helps."'],
    [1, 'I am so anxious that I cannot breathe.'],
  ]),
  'everyday_dev.csv': csv('id,kind,text', [
    [0, 'request', 'set a timer'],
    [1, 'chat', 'I like that film'],
  ]),
  'sad_dev.csv': csv(
    'sentence,is_stressor,top_label,source',
    Object.keys(areaOfLabel).map((label) => ['It worries me', 1, `"${label}"`, 'Inquire']),
  ),
  'wearers_dev.csv': csv(
    'subject,local_minute,heart_rate',
    range(840).map((at) => ['W', new Date(Date.UTC(2016, 3, 12, 8, at)).toISOString().slice(0, 16), 65 + (at % 7)]),
  ),
};
const read = (file: string) => files[file] ?? '';
const load = (task: TaskName): Input => tasks[task].load(read);

async function writeData(): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

/** Runs the command. With `scores`, they are a file. Returns the first result. */
async function run(task: TaskName, { folder, scores }: { folder?: string; scores?: string } = {}) {
  const data = folder ?? (await writeData());
  const file = join(data, 'scores.csv');
  if (scores !== undefined) await writeFile(file, scores);
  const args = ['--task', task, '--data', data, '--json', ...(scores === undefined ? [] : ['--scores', file])];
  const printed = await runTools('benchmark', ...args);
  return JSON.parse(printed)[0] as Figures & Readonly<Record<string, unknown>>;
}

test('the scores of this service as a CSV get the figures that it gets without a CSV, in the form of the schema', async () => {
  const folder = await writeData();
  const scores = await withEvaluatedService({ root }, (it) => scoreRows('live', it, load('speech'), () => {}));
  const own = await run('speech', { folder });
  const ofFile = await run('speech', { folder, scores: writeScores(scores) });
  expect(own).toMatchObject({ scored_by: `realtime-state-service ${manifest.version}`, rows: 60, groups: 3 });
  expect(own.auc.value).toBeGreaterThan(0.9);
  const { scored_by, optimistic } = own;
  expect({ ...ofFile, scored_by, optimistic }).toEqual(own);
  const schema = await runTools('benchmark', '--schema');
  const validate = new Ajv({ allowUnionTypes: true }).compile(JSON.parse(schema) as object);
  for (const it of [[own, ofFile], published]) expect(validate(it), JSON.stringify(validate.errors)).toBe(true);
  expect(validate([{ ...own, auc: 0.5 }])).toBe(false);
});

test('this service scores messages, reported minutes and weeks', async () => {
  await withEvaluatedService({ root }, async (service) => {
    const score = (task: TaskName, input = load(task)) => scoreRows(tasks[task].play, service, input, () => {});
    const messages = await score('texts');
    expect(measure(load('texts').rows, messages)).toMatchObject({ rows: 4, auc: { value: 1 } });
    expect(measure(load('reports').rows, await score('reports'))).toMatchObject({ rows: 20, auc: { value: 1 } });
    const [first] = load('weeks').rows;
    const person = first?.window.subject ?? '';
    const rows = load('weeks').rows.filter(({ window }) => window.subject === person);
    const message = 'My boss yelled at me again and I am worried about my performance review';
    const events = range(90).flatMap((minute) => [
      { person, second: 60 * minute, heart_rate: minute % 30 > 20 ? 95 : 65 },
      ...(minute % 30 === 20 ? [{ person, second: 60 * minute + 1, chat: minute, message }] : []),
    ]);
    const weeks = await score('weeks', { rows, events });
    expect([...weeks].filter(([, it]) => it.isStressed).map(([id]) => id)).toEqual([`${person}:work`]);
  });
});

test('random scores have an AUC of about one half, and a stated state takes precedence over the score', async () => {
  const { rows } = load('stressid');
  const random = seededRandom(1);
  const lines = rows.map(({ id }) => `${id},${Math.floor(101 * random())},calm\n`).join('');
  const result = await run('stressid', { scores: `id,score,state\n${lines}` });
  expect(result).toMatchObject({ scored_by: 'scores of a file', rows: 480, groups: 40 });
  expect(Math.abs(result.auc.value - 0.5)).toBeLessThan(0.06);
  expect(result.auc.low).toBeLessThan(0.5);
  expect(result.auc.high).toBeGreaterThan(0.5);
  expect(result.balanced_accuracy).toEqual({ value: 0.5, low: 0.5, high: 0.5 });
});

test('the AUC compares the mean score of a unit, and rows without a side are not compared', () => {
  const units = [...['rest', 'rest', 'rest', 'stressor'], undefined] as const;
  const rows = units.flatMap((side, at) =>
    load('speech')
      .rows.slice(0, 1)
      .map((it) => ({ ...it, id: `${at}`, group: 'g', side, unit: `${side}` })),
  );
  const scores = new Map(rows.map(({ id }, at) => [id, { score: at < 3 ? 20 : 50, isStressed: at > 1 }]));
  const shares = { stress_called_stressed: { value: 1 }, rest_called_stressed: { value: 1 / 3 } };
  expect(measure(rows, scores)).toMatchObject({ rows: 4, groups: 1, auc: { value: 1, low: null }, ...shares });
  expect(new Set(load('stress-predict').rows.map(({ unit }) => unit)).size).toBe(20);
  expect(new Set(load('reports').rows.flatMap(({ side, unit }) => (side ? [unit] : []))).size).toBe(2);
});

test.each(taskNames)('the template of %s has each row and no label, and becomes a file of scores', async (task) => {
  const folder = await writeData();
  const file = join(folder, 'template.csv');
  await runTools('benchmark', '--task', task, '--data', folder, '--template', file);
  const template = await readFile(file, 'utf8');
  expect(template).not.toMatch(/stressor|,rest|speech|none|label|Breathing|concerns|everyday/);
  const ids = new Set(readRows(template).map(({ id }) => id));
  expect(load(task).rows.filter(({ id }) => !ids.has(id))).toEqual([]);
  await expect(run(task, { folder, scores: template })).rejects.toThrow(/^cannot use .* rows have no score, e\.g\. /);
  const scored = template.replace(/,$/gm, ',50');
  const groups = new Set(load(task).rows.flatMap(({ side, group }) => (side ? [group] : []))).size;
  expect(await run(task, { folder, scores: scored })).toMatchObject({ groups, auc: { value: 0.5 } });
});

const header = 'person,time,score\n';
test.each([
  [
    'no column of scores',
    'id\np0:0\n',
    'must have the columns score and id, or score, person and time. Its columns: id',
  ],
  ['an unknown row', `${header}p9,0,5\n`, 'line 2: the task has no row "p9:0": take the rows of --template'],
  ['a row twice', `${header}p0,0,5\np0,30,5\np0,0,6\n`, 'line 4: line 2 has a score of "p0:0": delete one of both'],
  ['a score above 100', `${header}p0,0,101\n`, 'line 2: "101" is not a score: scale scores to 0 to 100'],
  ['a negative score', `${header}p0,0,-1\n`, '"-1" is not a score'],
  ['a word as a score', `${header}p0,0,high\n`, '"high" is not a score'],
  ['an unknown state', 'id,score,state\np0:0,5,fine\n', '"fine" is not a state: use calm, relaxed'],
  [
    'a missing score',
    `${header}p0,0,\np0,30,5\n`,
    '59 of 60 rows have no score, e.g. p0:0, p1:0, p2:0: score each row',
  ],
  ['no rows', '', 'Its columns: none'],
])('a file with %s is rejected with the place and the remedy', async (_, scores, message) => {
  await expect(run('speech', { scores })).rejects.toThrow(message);
});

test('a missing file, an unknown task and scores of several tasks are rejected with the remedy', async ({ folder }) => {
  await expect(run('speech', { folder })).rejects.toThrow(
    `cannot read speech_dev.csv in --data ${folder}: there is no such file: docs/evaluation.md lists its source`,
  );
  await writeFile(join(folder, 'speech_dev.csv'), 'subject,time,heart_rate,label\np,0,60,rest\n');
  await expect(run('speech', { folder })).rejects.toThrow(`in --data ${folder}: no row is stressor`);
  await expect(runTools('benchmark', '--scores', 'a.csv')).rejects.toThrow('are about one task: add --task NAME');
  await expect(runTools('benchmark', '--task', 'sleep')).rejects.toThrow('Allowed choices are stressid');
  const missing = ['--task', 'speech', '--data', await writeData(), '--scores', '/none.csv'];
  await expect(runTools('benchmark', ...missing)).rejects.toThrow(
    'cannot read --scores /none.csv: there is no such file',
  );
});
