import { readdir } from 'node:fs/promises';
import { createStateClient, type ExportedReading } from '../../client/src/index.js';
import { runHere } from '../../../testkit/command-line.js';
import { runCommand, startCommand } from '../../../testkit/process.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { expect, test } from '../../../testkit/test.js';

const scenes = ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'];

const demo = ['tools', 'demo', '--pace', '0', '--seed', '7'];
const foldersIn = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('state-demo-'));

test('every reference scene reaches its state after ten readings, no line is longer than 100 columns, and no folder is left', async () => {
  const folder = await temporaryFolder();
  // CI is set, because picocolors alone would then print colors.
  const { code, stdout } = await runCommand('tools demo', demo.slice(2), { CI: 'true', TMPDIR: folder });
  expect(stdout.match(/ bpm {2}\w+ +[+−]\d\.\d\d {2}█+░+ +\d+ {2}\w+$/gm)).toHaveLength(50);
  const rows = stdout.trimEnd().split('\n').slice(-5);
  expect(rows.map((row) => row.split(/ {2,}/).filter((_, column) => column !== 2))).toEqual(
    scenes.map((name) => [name, name, 'yes']),
  );
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(stdout).not.toContain('\u001b');
  expect(code).toBe(0);
  expect(await foldersIn(folder)).toEqual([]);
});

test('--json prints nothing but the final state of each scene', async () => {
  const { stdout } = await runHere([...demo, '--json'], {});
  const row = (scene: string) => ({ scene, final_state: scene, final_score: expect.any(Number), match: 'yes' });
  expect(JSON.parse(stdout)).toEqual(scenes.map(row));
});

test('the same seed produces the same run', async () => {
  const runs = await Promise.all([1, 2].map(() => runHere(demo, {})));
  expect(runs[0]?.stdout).toContain('--seed 7');
  expect(runs[0]?.stdout).toBe(runs[1]?.stdout);
});

test('the demo removes its folder when it is interrupted', async ({ folder }) => {
  const interrupted = startCommand('tools demo', ['--pace', '10'], { TMPDIR: folder });
  await interrupted.find(/ bpm {2}calm /);
  expect(await foldersIn(folder)).toHaveLength(1);
  interrupted.signal('SIGINT');
  expect(await interrupted.ended).toMatchObject({ code: 130, stderr: '' });
  expect(await foldersIn(folder)).toEqual([]);
});

test('--demo serves a week of three people with triggers on a database of its own, whatever is configured', async () => {
  const folder = await temporaryFolder();
  const configured = { DATABASE_URL: `sqlite:${folder}/mine.db`, HOST: '0.0.0.0', PORT: '0', TMPDIR: folder };
  const service = startCommand('--demo', [], configured);
  const url = await service.find(/^Dashboard: (http:\/\/127\.0\.0\.1:\d+)\/dashboard\/#key=sk_/m);
  const key = await service.find(/#key=(sk_\w+)/);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^state-demo-/)]);
  await service.find(/^ {2}(demo-ada) .*\bjob_loss\b[^]*^ {2}demo-ben .*\bexams \(resolved\)$/m);
  const client = createStateClient({ baseUrl: url, key });
  const readings: ExportedReading['reading'][] = [];
  for await (const { reading } of client.exportReadings()) readings.push(reading);
  const people = new Set(readings.map((it) => it.subject_id));
  expect(people).toEqual(new Set(['demo-ada', 'demo-ben', 'demo-cleo']));
  expect(readings.filter((it) => !it.session_id?.startsWith('demo-'))).toEqual([]);
  const times = readings.map(({ timestamp }) => Date.parse(timestamp));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(6.9 * 86_400_000);
  service.signal('SIGINT');
  expect(await service.ended).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(folder)).toEqual([]);
});
