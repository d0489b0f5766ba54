import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from '../../../testkit/command-line.js';
import { realTime, startTestService } from '../../../testkit/service.js';
import type { Ended } from '../../../testkit/process.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const recording = `subject,task,heart_rate,sdnn,label
p1,Rest,60,55,rest
p1,Math,105,20,stressor
p2,Rest,58,1608.5,rest
p2,Math,,18,stressor
`;

async function replay(csv: string, env: { url: string; key: string }, ...args: string[]): Promise<Ended> {
  const file = join(await temporaryFolder(), 'recording.csv');
  await writeFile(file, csv);
  return runHere(['tools', 'replay', '--file', file, '--url', env.url, ...args], { SERVICE_KEY: env.key });
}

test('the replay sends every window and counts the readings per task, in protocol order', async () => {
  const service = await startTestService({ clock: realTime() });
  const { code, stdout, stderr } = await replay(recording, service);
  expect(stderr).toContain('4 readings of 2 people sent.');
  expect(code).toBe(0);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/).slice(0, 3).join(' '));
  expect(rows[0]).toBe('task label readings');
  expect(rows.slice(2, 4)).toEqual(['Rest rest 2', 'Math stressor 2']);
  expect(rows.slice(5, 7)).toEqual(['all rest 2', 'all stressor 2']);
});

test('without a file name, the sample recording of the project is replayed', async () => {
  const service = await startTestService({ clock: realTime() });
  const { code, stdout, stderr } = await runHere(['tools', 'replay', '--url', service.url], {
    SERVICE_KEY: service.key,
  });
  expect(stderr).toContain('315 readings of 6 people sent.');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Stroop +stressor +\d+ /m);
});

test('a value outside the bounds of the contract is clamped and reported', async () => {
  const service = await startTestService({ clock: realTime() });
  const { stderr } = await replay(recording, service);
  expect(stderr).toContain(
    'Clamped to the bounds of the contract: 1 value.\n  line 4 (p2, Rest): sdnn 1608.5 sent as 500',
  );
});

test('--markdown prints nothing but a Markdown table', async () => {
  const service = await startTestService({ clock: realTime() });
  const { stdout } = await replay(recording, service, '--markdown');
  const lines = stdout.trimEnd().split('\n');
  expect(lines[1]).toMatch(/^\| --- \| --- \| ---: \|/);
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(line).toMatch(/^\|.*\|$/);
});

test('--json prints nothing but JSON, and does not go with --markdown', async () => {
  const service = await startTestService({ clock: realTime() });
  const [row, ...rows] = JSON.parse((await replay(recording, service, '--json')).stdout);
  expect(rows).toHaveLength(3);
  expect(row).toMatchObject({ task: expect.any(String), label: expect.any(String), readings: expect.any(Number) });
  expect(await replay(recording, service, '--json', '--markdown')).toMatchObject({ code: 1, stdout: '' });
});

test('a file without --file gets an error that names the option', async () => {
  const { code, stderr } = await runHere(['tools', 'import', 'a.xml'], {});
  expect(code).toBe(1);
  expect(stderr).toMatch(/too many arguments.*\n.*--file/);
});

test('a rejected window is counted with its status and detail, and the replay continues', async () => {
  const service = await startTestService({ clock: realTime() });
  const { code, stdout, stderr } = await replay(`${recording}p3,Rest,,,rest\np3,Math,80,,stressor\n`, service);
  expect(code).toBe(1);
  expect(stderr).toContain('Rejected: 1 reading.\n  line 6 (p3, Rest): 400 Missing signals');
  expect(stdout).toMatch(/^Math +stressor +3 /m);
});

test('a wrong key is reported in one line with the remedy', async () => {
  const { url } = await startTestService({ clock: realTime() });
  const { code, stdout, stderr } = await replay(recording, { url, key: 'sk_wrong' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: the service rejected the key \(401 Invalid API key\): set --key .*\n$/);
});

test('a malformed key is rejected, and the message does not contain it', async () => {
  const { code, stderr } = await replay(recording, { url: 'http://127.0.0.1:8080', key: 'sk_schlüssel' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: no usable key: .*\n$/);
  expect(stderr).not.toContain('sk_schl');
});

test('an unreachable service is reported in one line with the remedy', async () => {
  const service = await startTestService({ clock: realTime() });
  await service.close();
  const { code, stderr } = await replay(recording, service);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: cannot reach the service at \S+ \(ECONNREFUSED\): start it, .*\n$/);
});

test('an unreadable file is reported in one line with its path', async () => {
  const { code, stderr } = await replay(`${recording}p3,Rest,fast,,rest\n`, {
    url: 'http://127.0.0.1:8080',
    key: 'sk_x',
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: cannot read --file \S+: line 6, heart_rate: "fast" is not a number\n$/);
});
