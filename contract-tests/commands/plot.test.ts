import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { replay } from '../../src/tools/replay.js';
import { spansOf } from '../../src/terminal/timeline.js';
import { drawTimeline } from '../../src/terminal/timeline.js';
import type { TimelinePoint } from '../../src/terminal/timeline.js';
import { Clock, startTestService } from '../support/service.js';
import { runCommand } from '../support/process.js';
import { temporaryFolder } from './temporary-folder.js';

const unused = { markdown: false, json: false, hours: 24, utcOffset: 0, backfill: false };
const names = { title: 'Title', subtitle: 'Subtitle' };
const point = (second: number, others: Partial<TimelinePoint> = {}): TimelinePoint => ({
  ...{ second, heartRate: 70, score: 30, state: 'relaxed' as const },
  ...others,
});

test('replay --plot draws heart rate, score, states and topics of one person', async () => {
  silence();
  // A real clock, because the replay sends real timestamps.
  const { url, key } = await startTestService({ clock: Object.assign(new Clock(), { now: Date.now }) });
  const [file, plot] = await Promise.all([temporaryFolder(), temporaryFolder()]).then(
    ([one, other]) => [join(one, 'recording.csv'), join(other, 'new', 'out.svg')] as const,
  );
  const text = 'my exam is tomorrow';
  const rows = [62, 63, 61, 98, 104, 108].map((bpm, index) =>
    index < 3 ? `p1,Rest,rest,${bpm},,` : `p1,Exam,stressor,${bpm},${text},I see.`,
  );
  await writeFile(
    file,
    `subject,task,label,heart_rate,user_message,ai_response\n${rows.join('\n')}\np0,Rest,rest,60,,\n`,
  );
  await replay({ ...unused, file, url, key, plot, person: 'p1' });
  const svg = await readFile(plot, 'utf8');
  for (const shown of ['Person p1, 6 readings', 'heart rate, bpm', 'stress score', 'acute_stress', 'label stressor'])
    expect(svg).toContain(shown);
  expect(svg).toMatch(/>topics<[^]*>exams</);
  expect(numbersIn(svg).every(Number.isFinite)).toBe(true);
});

test('a person who is not in the recording is reported before anything is sent', async () => {
  silence();
  const file = 'samples/wrist-heart-rate.csv';
  const options = { ...unused, file, url: 'http://127.0.0.1:1', key: 'sk_x', plot: 'x.svg', person: 'P99' };
  await expect(replay(options)).rejects.toThrow(/^the recording has no --person P99. Subjects: P2, /);
});

test('a plot or figure that cannot be written is reported before anything is sent', async () => {
  silence();
  const file = 'samples/wrist-heart-rate.csv';
  const options = { ...unused, file, url: 'http://127.0.0.1:1', key: 'sk_x', plot: 'package.json/x.svg' };
  await expect(replay(options)).rejects.toThrow(/^cannot write --plot \S+: a part of the path is a file\. Choose/);
  const { code, stdout, stderr } = await runCommand('evaluate', ['--file', file, '--figure', 'docs']);
  expect(stderr).toBe('error: cannot write --figure docs: it is a folder. Add a file name\n');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('a timeline of any recording is complete and contains only finite numbers', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => point(index * 60, { heartRate: 30 + (index % 191) }));
  const recordings = [
    [],
    [point(0)],
    [point(0, { heartRate: undefined }), point(3, { heartRate: undefined })],
    [point(0), point(1, { heartRate: undefined }), point(2)],
    [point(0, { heartRate: 220, score: 100 }), point(400 * 86_400, { heartRate: 30, score: 0, state: 'calm' })],
    many,
  ];
  for (const points of recordings) {
    const svg = drawTimeline({ ...names, points });
    expect(svg).toMatch(/^<svg [^]*<\/svg>\n$/);
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  }
});

test('a timeline shows at most eight topics, and the time axis at most nine marks', () => {
  const points = Array.from({ length: 12 }, (_, index) => point(index * 7, { topics: [`topic_${index}<`] }));
  const svg = drawTimeline({ ...names, points });
  expect(svg.match(/topic_\d+&lt;/g)).toHaveLength(8);
  for (const end of [1, 59, 61, 3_599, 3_601, 86_401, 9e6]) {
    const marks = drawTimeline({ ...names, points: [point(0), point(end)] }).match(/"middle">\d+</g) ?? [];
    expect(marks.length).toBeGreaterThanOrEqual(2);
    expect(marks.length).toBeLessThanOrEqual(9);
  }
});

test('consecutive points form one span, which ends at the next other point or at the end', () => {
  const points = [0, 1, 2, 3, 4].map((second) => ({ second }));
  expect(spansOf(points, ({ second }) => second !== 0 && second !== 3)).toEqual([
    { from: 1, to: 3 },
    { from: 4, to: 4 },
  ]);
});

function numbersIn(svg: string): number[] {
  return [...svg.matchAll(/ (?:x|y|cx|cy|width|height|x1|y1|x2|y2)="([^"]*)"/g)].map(([, number]) => Number(number));
}

/** Keeps the table and the progress of a replay out of the log of the tests. */
function silence(): void {
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(() => {}),
    vi.spyOn(console, 'error').mockImplementation(() => {}),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
}
