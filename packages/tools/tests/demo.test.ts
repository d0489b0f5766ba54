import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import decodeQR from 'qr/decode.js';
import { enums } from '../../../generated/spec.js';
import { createStateClient, type ExportedReading, type StateClient } from '../../client/src/index.js';
import { chooseSettings } from '../serve-demo.js';
import { runHere } from '../../../testkit/command-line.js';
import { runCommand, startCommand } from '../../../testkit/process.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';
import { expect, test } from '../../../testkit/test.js';

const scenes = ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'];

const demo = ['tools', 'demo', '--pace', '0', '--seed', '7'];
const foldersIn = async (folder: string) => (await readdir(folder)).filter((name) => name.startsWith('state-demo-'));

test('every reference scene reaches its state after ten readings, no line is longer than 100 columns, no folder is left, and the same seed produces the same run', async () => {
  const folder = await temporaryFolder();
  // CI is set, because picocolors alone would then print colors.
  const { code, stdout } = await runCommand('tools demo', demo.slice(2), { CI: 'true', TMPDIR: folder });
  expect(stdout).toContain('--seed 7');
  expect(stdout.match(/ bpm {2}\w+ +[+−]\d\.\d\d {2}█+░+ +\d+ {2}\w+$/gm)).toHaveLength(50);
  const rows = stdout.trimEnd().split('\n').slice(-5);
  const cells = rows.map((row) => row.split(/ {2,}/));
  expect(cells.map((row) => row.filter((_, column) => column !== 2))).toEqual(
    scenes.map((name) => [name, name, 'yes']),
  );
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect(stdout).not.toContain('\u001b');
  expect(code).toBe(0);
  expect(await foldersIn(folder)).toEqual([]);
  // With --json, the same seed prints nothing but the same final states.
  const row = ([scene, final_state, score, match]: string[]) => ({
    scene,
    final_state,
    final_score: Number(score),
    match,
  });
  expect(JSON.parse((await runHere([...demo, '--json'], {})).stdout)).toEqual(cells.map(row));
});

/** Returns the full days before the demo, of which an hour or more is stressed: a reading every five minutes. */
function listStressedDays(rows: readonly ExportedReading[], person: string, isIn = (_hour: number) => true): number[] {
  const measured = rows.filter(({ reading }) => reading.session_id?.includes('-wristband-'));
  const newestMs = Math.max(...measured.map(({ reading }) => Date.parse(reading.timestamp)));
  // The day on which the demo was started, which may be over.
  const midnightMs = new Date(newestMs + 300_000).setHours(0, 0, 0, 0);
  const counts = new Map<number, number>();
  for (const { reading, computed } of rows) {
    const at = new Date(reading.timestamp);
    const day = Math.ceil((midnightMs - at.getTime()) / 86_400_000);
    const isCounted = reading.subject_id === person && computed.stress_score >= 60 && isIn(at.getHours());
    if (isCounted) counts.set(day, (counts.get(day) ?? 0) + 1);
  }
  return [6, 5, 4, 3, 2, 1].filter((day) => (counts.get(day) ?? 0) >= 12);
}

/** Starts the demo with a listener for phones. */
async function startLan(folder: string) {
  const own = { DATABASE_URL: `sqlite:${folder}/mine.db`, HOST: '0.0.0.0', PORT: '0', TMPDIR: folder };
  const configured = { ...own, PUBLIC_URL: 'https://state.example.com' };
  const demo = startCommand('--demo', ['--lan', '127.0.0.1'], configured);
  const url = await demo.find(/^Dashboard: (http:\/\/127\.0\.0\.1:\d+)\/dashboard\/#key=sk_/m);
  await demo.find(/^ {2}(demo-ada) .*\bjob_loss\b[^]*^ {2}demo-ben .*\bexams \(resolved\)$/m);
  const key = await demo.find(/#key=(sk_\w+)\/subjects\/demo-you$/m);
  const postUrl = await demo.find(/^ {2}(http:\S+\/v1\/sources\/generic\/wk_\w{32})$/m);
  return { demo, url, postUrl, key, client: createStateClient({ baseUrl: url, key }) };
}

/** Reads the code in the output of a terminal. Of each character, both halves are two modules wide. */
function scan(output: string): string {
  const lines = output.split('\n').filter((it) => /^[█▀▄ ]{25,}$/.test(it));
  const rows = lines.flatMap((line) => ['█▀', '█▄'].map((light) => [...line].map((it) => light.includes(it))));
  const pixels = rows.flatMap((row) => [row, row].map((it) => it.flatMap((isLight) => [isLight, isLight])));
  const data = pixels.flat().flatMap((isLight) => [...Array<number>(3).fill(isLight ? 255 : 0), 255]);
  return decodeQR({ width: pixels[0]?.length ?? 0, height: pixels.length, data: Uint8Array.from(data) });
}

/** Sends a path as it is. Resolves with the status. */
function send(base: string, method: string, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(base, { method, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', reject).end(method === 'POST' ? '{"heart_rate":72}' : undefined);
  });
}

/** Requires a week of each invented person, and nothing else. */
async function expectWeeks(client: StateClient): Promise<void> {
  const rows: ExportedReading[] = [];
  for await (const row of client.exportReadings()) rows.push(row);
  const readings = rows.map(({ reading }) => reading);
  const people = new Set(readings.map((it) => it.subject_id));
  expect(people).toEqual(new Set(['demo-ada', 'demo-ben', 'demo-cleo']));
  expect(readings.filter((it) => !it.session_id?.startsWith('demo-'))).toEqual([]);
  expect(listStressedDays(rows, 'demo-ada')).toEqual([6, 5, 3, 2, 1]);
  expect(listStressedDays(rows, 'demo-cleo')).toEqual([3]);
  const nights = listStressedDays(rows, 'demo-ben', (hour) => hour < 8 || hour >= 20);
  expect([nights, listStressedDays(rows, 'demo-ben', (hour) => hour >= 8 && hour < 16)]).toEqual([
    [6, 5, 4, 3, 2, 1],
    [],
  ]);
  const times = readings.map(({ timestamp }) => Date.parse(timestamp));
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(6.9 * 86_400_000);
}

test('--demo --lan serves weeks of three people on a database of its own, whatever is configured, and to a network only posts of a fourth person', async ({
  folder,
}) => {
  const { demo, url, postUrl, key, client } = await startLan(folder);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^state-demo-/)]);
  await expectWeeks(client);
  expect(scan(demo.stdout())).toBe(postUrl);
  const { origin, pathname } = new URL(postUrl);
  const plain = { 'Content-Type': 'application/json', Host: new URL(url).host };
  const headers = { ...plain, 'X-Service-Key': key };
  const others = [
    ...['/', '/dashboard/', '/docs/', '/person/', '/healthz', '/llms.txt', '/v1/state?subject_id=demo-ada', pathname],
    '/v1/sources/generic/../../state?subject_id=demo-ada',
    `http://127.0.0.1/v1/state?subject_id=demo-ada`,
  ].map((path) => ['GET', path] as const);
  const posts = ['/v1/ingest', '/mcp', '/v1/source-keys', '/person/api/v1/source-keys', '/v1/sources', `${pathname}/x`];
  for (const [method, path] of [...others, ['OPTIONS', pathname], ...posts.map((it) => ['POST', it] as const)] as const)
    expect([path, await send(origin, method, path, headers)]).toEqual([path, 404]);
  expect(await send(origin, 'POST', '/v1/sources/generic', { ...headers, 'X-Service-Key': 'wk_none' })).toBe(401);
  await expect(client.state({ subject_id: 'demo-you' })).rejects.toMatchObject({ status: 404 });

  expect(await send(origin, 'POST', pathname, plain)).toBe(200);
  expect(await client.state({ subject_id: 'demo-you' })).toMatchObject({ signals_received: ['cardiovascular'] });
  expect(await client.sourceKeys({ subject_id: 'demo-you' })).toMatchObject({
    ...{ public_url: origin, source_keys: [{ source: 'generic', last_post: { usable: true } }] },
  });
  // Requires the scopes of all grants.
  const link = await client.createLink('demo-you', { grants: [...enums.LinkGrant] });
  expect(link.url).toContain('https://state.example.com/person/#');
  expect(await demo.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
  // The key was in the database of the demo.
  expect(await readdir(folder)).toEqual([]);
});

test('without --lan and PUBLIC_URL, the demo serves this machine only, and its links lead to it', async () => {
  const settings = { HOST: '127.0.0.1', PORT: '18099', PUBLIC_URL: 'http://127.0.0.1:18099' };
  expect(await chooseSettings({ HOST: '0.0.0.0', PORT: '18099' }, undefined)).toEqual(settings);
});

test('--lan requires --demo and a private address', async () => {
  expect((await runHere(['serve', '--lan'], {})).stderr).toBe('error: --lan requires --demo\n');
  const { code, stderr } = await runHere(['serve', '--demo', '--lan', '192.0.2.1'], {});
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^error: --lan requires a private IPv4 address: join a network/),
  ]);
});
