import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sampleRecording } from '../../../testkit/sample-recording.js';
import { evaluateRecording, loadRecording } from '../evaluate/evaluate.js';
import { readRecording, type RecordingOptions } from '../evaluate/protocol/recording.js';
import { startTestService, type TestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { root, runTools } from './run-tools.js';

const run = (...args: string[]) => runTools('evaluate', ...args);
const stressors = { columns: {}, stressedLabels: ['stressor'] };

/** Returns the tables, and the last line of the progress. */
async function evaluateHere(csv: string, options: RecordingOptions) {
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const text = await evaluateRecording(readRecording(csv, options), {}, { root });
    return { text, progress: written.mock.lastCall?.[0] };
  } finally {
    written.mockRestore();
  }
}

/**
 * Three people with foreign column names, and control characters in names: ten minutes of rest, then ten minutes of an
 * exam.
 */
const own = [
  'Proband;Zeit;Puls;Phase',
  ...['Jörg M.', 'b', '"<c>\u001b[31m\nd"'].flatMap((who, person) =>
    Array.from({ length: 20 }, (_, minute) => {
      const at = new Date(Date.UTC(2026, 4, 1 + person, 9, minute)).toISOString();
      return `${who};${at};${60 + 4 * person + (minute < 10 ? 0 : 22) + (minute % 3)};${minute < 10 ? '<Pause>&' : 'Prüfung\u0007'}`;
    }),
  ),
].join('\n');
const ownOptions = {
  columns: { subject: 'Proband', time: 'Zeit', heart_rate: 'Puls', label: 'Phase' },
  stressedLabels: ['Prüfung'],
};

test('a recording with own columns and labels gets an AUC and states per label, without control characters', async () => {
  const { text, progress } = await evaluateHere(own, ownOptions);
  // 60 readings of four variants.
  expect(progress).toBe('240/240 readings\n');
  expect(text).toContain('60 readings of 3 people through the running service, in the recorded order, at the recorded');
  expect(text).toContain('stressors (Prüfung) against rest (all other labels)');
  const row = /^personal +(\d\.\d+) +(\d\.\d+)–(\d\.\d+) +(\d+) % +(\d+) % /m.exec(text)?.slice(1).map(Number) ?? [];
  const [auc = 0, low = 0, high = 0, stressed = 0, rest = 100] = row;
  expect(auc).toBeGreaterThan(0.9);
  expect(auc).toBeGreaterThanOrEqual(low);
  expect(auc).toBeLessThanOrEqual(high);
  expect(stressed).toBeGreaterThan(rest);
  // A heart rate is no state, also if it is a whole number.
  expect(text).toMatch(/^comparison: raw heart rate +\d\.\d+ +\S+ +bpm as recorded$/m);
  expect(text).toMatch(/^label +readings +calm /m);
  expect(text).toMatch(/^Prüfung +30 /m);
  expect(text).not.toMatch(/[\u001b\u0007]/);
});

test('the sample recording is evaluated by its tasks', async () => {
  const file = join(await temporaryFolder(), 'sample.csv');
  const sample = (await readFile(sampleRecording, 'utf8')).split('\n');
  // One person and two tasks, which keeps the test short.
  await writeFile(file, sample.filter((line) => /^(subject|P2,(Rest 1|Stroop)),/.test(line)).join('\n'));
  const printed = await run('--file', file, '--markdown');
  expect(printed).toMatch(/\| personal \| \d\.\d{3} \| – \|/);
  expect(printed).toMatch(/\| Stroop \| stressor \| \d+ \|/);
});

test('without rows of both sides, the error lists the labels of the file', () => {
  const csv = 'label,heart_rate\na,60\nb,90\n';
  const read = (stressedLabels: string[], restLabels?: string[]) => () =>
    readRecording(csv, { columns: {}, stressedLabels, ...(restLabels && { restLabels }) });
  expect(read(['c'])).toThrow('no row has a label of --stressed-labels. Labels: a, b');
  expect(read(['a', 'b'])).toThrow('no row has a label that counts as rest. Labels: a, b');
  expect(read(['a'], ['c'])).toThrow('no row has a label that counts as rest');
  expect(read(['b'], ['a'])).not.toThrow();
});

test('a missing column is named with the columns of the file', () => {
  const options = { ...stressors, columns: { heart_rate: 'HR' } };
  expect(() => readRecording('label,puls\nrest,60\n', options)).toThrow(
    'the file must have the columns HR. Its columns: label, puls',
  );
  expect(() => readRecording('label,a,a\n', { ...stressors, columns: { sdnn: 'a' } })).toThrow('two columns a');
});

test('times are seconds, Unix milliseconds or date-times, and count from the first row of a subject', () => {
  const toSeconds = (...times: string[]) => {
    const rows = times.map((time, index) => `${time},${index ? 'rest' : 'stressor'},60`);
    return readRecording(`time,label,heart_rate\n${rows.join('\n')}\n`, stressors).rows.map(
      ({ window }) => window.second,
    );
  };
  expect(toSeconds('5', '6.5')).toEqual([0, 1.5]);
  expect(toSeconds('1790000000000', '1790000001500')).toEqual([0, 1.5]);
  expect(toSeconds('2026-03-29 01:59', '2026-03-29T05:00:00+02:00')).toEqual([0, 3660]);
  expect(() => toSeconds('5', 'noon')).toThrow('line 3: "noon" is not a time: use seconds');
  expect(() => toSeconds('5', '')).toThrow('line 3: "" is not a time');
  expect(() => toSeconds('5', '5')).toThrow('line 3: the time of subject 1 is not after that of line 2');
  expect(() => toSeconds('5', '9e9')).toThrow('is not a time');
  expect(() => toSeconds('0', '99999999999')).toThrow('line 3: the time is more than a year after');
});

test.each([
  ['an empty file', '', 'Its columns: none, because the file is empty'],
  ['only a header', 'label,heart_rate\n', 'the file has no rows'],
  ['no signals', 'label,steps_last_minute\nrest,5\nstressor,9\n', 'no row has a signal: name the column'],
  ['a wrong number', 'label,heart_rate\nrest,60\nstressor,fa\u001bst\n', 'line 3, heart_rate: "fa st" is not a number'],
  ['a decimal comma between commas', 'label,heart_rate\nrest,"60,5"\n', 'line 2, heart_rate: "60,5" is not a number'],
  ['a comma of thousands', 'label\theart_rate\nrest\t1,234\n', 'line 2, heart_rate: "1,234" is not a number'],
  ['a row with too few cells', 'label,heart_rate\nrest\n', 'line 2'],
  ['an open quote', 'label,heart_rate\n"rest,60\n', 'Quote Not Closed'],
  ['binary data', '\u0000\u0001\u001b[31m,x\n', 'Its columns: [31m, x'],
  ['a header of 5,000 columns', `${'c,'.repeat(5_000)}x\n`, ' and 4981 more'],
  ['a column of a prototype', 'label,__proto__\nrest,60\n', 'no row has a signal'],
  [
    'too many rows',
    `label,heart_rate\n${'rest,60\n'.repeat(20_001)}`,
    '20001 rows, at most 20000 are allowed: use means',
  ],
])('%s is rejected with a message of one line', (_, csv, message) => {
  const read = () => readRecording(csv, stressors);
  expect(read).toThrow(message);
  expect(read).not.toThrow(/[\u0000-\u001f]/);
});

test('the command rejects an unreadable file and an empty list of labels', async () => {
  await expect(run('--file', '/none.csv')).rejects.toThrow('cannot read --file /none.csv: there is no such file');
  await expect(run()).rejects.toThrow("required option '--file <csv>' not specified");
  await expect(run('--stressed-labels', ' , ')).rejects.toThrow('It must name at least one label');
  await expect(run('--file', 'samples')).rejects.toThrow('cannot read --file samples: EISDIR');
});

/** Sends half an hour of two people, who report stress in its second half. Returns the path of an export. */
async function liveAndReport(service: TestService): Promise<string> {
  const { clock, post } = service;
  const people = ['anna', 'bert'];
  // In the order of storage, which is not that of time: the later half of each person is sent first.
  for (const [from, to] of [
    [15, 30],
    [0, 15],
  ] as const)
    for (const [index, subject_id] of people.entries()) {
      const lines = Array.from({ length: to - from }, (_, minute) => {
        const heart_rate = 60 + 5 * index + (from + minute >= 15 ? 30 : 0) + (minute % 3);
        const timestamp = clock.at(60 * (from + minute - 30));
        return { session_id: `${subject_id}-${from}`, subject_id, timestamp, heart_rate, tone: 'calm', backfill: true };
      });
      expect((await post('/v1/ingest/batch', lines)).body).toMatchObject({ accepted: 15 });
    }
  const report = async (subject_id: string, minute: number, stress: number, duration_seconds?: number) => {
    const timestamp = clock.at(60 * (minute - 30));
    const answer = await post('/v1/feedback', { subject_id, timestamp, stress, duration_seconds });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  };
  await report('anna', 9, 2, 600);
  await report('anna', 29, 8, 600);
  await report('bert', 4, 0);
  await report('bert', 27, 5);
  // A person without readings in the file, and a moment without a reading.
  await service.read({ subject_id: 'carl', heart_rate: 70, timestamp: clock.at() });
  await report('carl', 30, 9);
  await report('bert', -60, 9);
  const file = join(await temporaryFolder(), 'export.csv');
  await writeFile(file, String((await service.request('/v1/export?format=csv&subject_id=anna')).body));
  const bert = String((await service.request('/v1/export?format=csv&subject_id=bert')).body);
  await appendFile(file, bert.slice(bert.indexOf('\n') + 1));
  return file;
}

test('the reports of a running service are the labels of an export, in any order of rows', async () => {
  const service = await startTestService({});
  const file = await liveAndReport(service);
  const labeled = await loadRecording({ ...service, file, feedback: true, columns: {}, stressedLabels: [] });
  expect(labeled.rows).toHaveLength(60);
  expect(labeled.options).toMatchObject({
    stressedLabels: ['reported stressed'],
    restLabels: ['reported not stressed'],
  });
  const ratesOf = (side: 'stressor' | 'rest') =>
    labeled.rows.filter((it) => it.side === side).map(({ window }) => window.values.heart_rate ?? 0);
  // Ten rows of each interval, and one row of each moment.
  expect([ratesOf('stressor').length, ratesOf('rest').length]).toEqual([11, 11]);
  expect(Math.min(...ratesOf('stressor'))).toBeGreaterThan(Math.max(...ratesOf('rest')));
});

test('without reports about the file, without a usable key and with other labels, --feedback says what to do', async () => {
  const service = await startTestService({});
  const file = join(await temporaryFolder(), 'own.csv');
  await writeFile(file, 'subject_id,timestamp,heart_rate\nanna,2026-05-01T09:00:00Z,70\n');
  const use = (...args: string[]) => run('--file', file, '--feedback', '--url', service.url, ...args);
  await expect(use('--key', service.key)).rejects.toThrow('no row of --file is reported stressed. Reports since');
  await expect(use('--key', 'sk_wrong')).rejects.toThrow('the service rejected the key');
  await expect(use('--key', service.key, '--subject', 'who')).rejects.toThrow('must have the columns who');
  await expect(use('--key', service.key, '--label', 'x')).rejects.toThrow("'--label <column>'");
});
