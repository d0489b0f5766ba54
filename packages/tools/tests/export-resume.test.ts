import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { exportReadings } from '../export.js';
import { resolvePartialFile, type Selection } from '../export-output.js';
import { runHere } from '../../../testkit/command-line.js';
import { copyReading } from '../../../testkit/copied-readings.js';
import { afterBytes, afterText, startCuttingProxy } from '../../../testkit/cutting-proxy.js';
import { startFaultyProxy } from '../../../testkit/faulty-proxy.js';
import { startTestService, type TestService } from '../../../testkit/service.js';
import { until } from '../../../testkit/until.js';
import { type Ended, startCommand } from '../../../testkit/process.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

/** Number of readings. Their export has about 2.4 MB. */
const count = 400;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await service.read({ session_id: 'many', subject_id: 'p', heart_rate: 70 });
  await copyReading(service, count);
});

/** Runs the command in this process. */
function run(url: string, ...args: string[]): Promise<Ended> {
  return runHere(['tools', 'export', '--url', url, ...args], { SERVICE_KEY: service.key });
}

async function operation(query = ''): Promise<string> {
  const response = await fetch(`${service.url}/v1/export?${query}`, { headers: { 'X-Service-Key': service.key } });
  return response.text();
}

async function newFile(): Promise<string> {
  return join(await temporaryFolder(), 'new', 'rows');
}

const formats = ['ndjson', 'csv'] as const;

test.each(formats)(
  'an export as %s continues after lost connections without a lost or repeated row',
  async (format) => {
    // The first cut is after the headers, and the others are inside rows.
    const cuts = [afterText('\r\n\r\n'), afterBytes(100_003), afterBytes(1_000_001), afterBytes(70_007)];
    const { url, requests } = await startCuttingProxy(service.url, cuts);
    const file = await newFile();
    const { code, stderr } = await run(url, '--format', format, '--out', file);
    expect(stderr).toMatch(/^Export interrupted \(.+\)\. The next attempt is in 0\.[34] s\.\n/);
    expect(stderr).toMatch(/\nExported 400 readings\.\n$/);
    expect(code).toBe(0);
    expect(requests.map((it) => /cursor=\d+/.test(it))).toEqual([false, false, true, true, true]);
    // Does not use toBe, because toBe would print both files.
    expect((await readFile(file, 'utf8')) === (await operation(`format=${format}`))).toBe(true);
  },
);

test('a connection that is lost after the header row of a CSV does not repeat the header row', async () => {
  const { url, requests } = await startCuttingProxy(service.url, [afterText(',cursor\r\n')]);
  const { stdout } = await run(url, '--format', 'csv');
  expect(stdout === (await operation('format=csv'))).toBe(true);
  expect(requests).toHaveLength(2);
});

test('a rate limit and a gateway error are retried, after the time that the service states', async () => {
  const url = await startFaultyProxy(service.url, ['rate limited', 'bad gateway']);
  const { code, stdout, stderr } = await run(url);
  expect(stdout === (await operation())).toBe(true);
  expect(stderr).toContain('(status 429 without a problem of the service). The next attempt is in 1.0 s.');
  expect(stderr).toMatch(/\(status 502 without a problem of the service\)\. The next attempt is in 0\.\d s\./);
  expect(code).toBe(0);
});

test('an interrupted export keeps the earlier file, and --resume completes it', async () => {
  const file = join(await temporaryFolder(), 'rows');
  await writeFile(file, 'an earlier export');
  const { url } = await startCuttingProxy(service.url, [afterBytes(500_000)], 'stall');
  const running = startCommand('tools export', ['--url', url, '--out', file], { SERVICE_KEY: service.key });
  const partial = await resolvePartial(file);
  await until('rows are written', async () => ((await stat(partial).catch(() => undefined))?.size ?? 0) > 0);
  running.signal('SIGINT');
  const { code, stderr } = await running.ended;
  expect(stderr).toBe(`The rows so far are in ${partial}. To continue, run the same command with --resume.\n`);
  expect(code).toBe(130);
  expect(await readFile(file, 'utf8')).toBe('an earlier export');
  // After a power failure, the last row may be incomplete.
  await writeFile(partial, '{"reading":{"session_id":"ma', { flag: 'a' });
  const resumed = await run(service.url, '--out', file, '--resume');
  expect(resumed.stderr).toMatch(/^Exported [\d,]+ readings after [\d,]+ that were already there\.\n$/);
  expect((await readFile(file, 'utf8')) === (await operation())).toBe(true);
  expect(await readdir(dirname(file))).toEqual(['rows']);
});

test('after too many attempts the error says how to continue, and the continued file is complete', async () => {
  const printed = silence();
  const file = await newFile();
  const cuts = [afterBytes(1_000_000), ...Array.from({ length: 2 }, () => afterText('Content-Type'))];
  const { url, requests } = await startCuttingProxy(service.url, cuts);
  const options = { url, key: service.key, session: 'many', format: 'csv', out: file, resume: false } as const;
  const retries = { maxRetries: 2 };
  await expect(exportReadings(options, retries)).rejects.toThrow(
    `The rows so far are in ${await resolvePartial(file, { format: 'csv', sessionId: 'many' })}. To continue, run the same`,
  );
  expect(requests).toHaveLength(3);
  await exportReadings({ ...options, resume: true }, retries);
  expect(printed()).toMatch(/Exported [\d,]+ readings after \d+ that were already there\./);
  expect((await readFile(file, 'utf8')) === (await operation('session_id=many&format=csv'))).toBe(true);
});

test('without a file, an interrupted export names the cursor of the last row', async () => {
  const { url } = await startCuttingProxy(service.url, [afterBytes(500_000)], 'stall');
  const running = startCommand('tools export', ['--url', url], { SERVICE_KEY: service.key });
  await running.find(/"cursor"/);
  running.signal('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  const { cursor } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  expect(stderr).toContain(`run the same command with --cursor ${cursor} and append its output.\n`);
  expect(code).toBe(130);
  expect(stdout + (await run(service.url, '--cursor', cursor)).stdout === (await operation())).toBe(true);
});

test('--resume does not continue the rows of an export with other options', async () => {
  const file = join(await temporaryFolder(), 'rows');
  const [firstRow] = (await operation('session_id=many')).split('\n');
  await writeFile(await resolvePartial(file, { format: 'ndjson', sessionId: 'many' }), `${firstRow}\n`);
  const { stderr } = await run(service.url, '--out', file, '--resume');
  expect(stderr).not.toContain('already there');
  expect((await readFile(file, 'utf8')) === (await operation())).toBe(true);
});

test('--resume rejects a file that is no export, and keeps it', async () => {
  const file = join(await temporaryFolder(), 'rows');
  const partial = await resolvePartial(file);
  await writeFile(partial, await operation('format=csv'));
  const { code, stderr } = await run(service.url, '--out', file, '--resume');
  expect(stderr).toMatch(/^error: cannot continue \S+\.partial \(.*format ndjson\): start again without --resume/);
  expect(code).toBe(1);
  expect(await readdir(dirname(file))).toEqual([basename(partial)]);
});

async function resolvePartial(file: string, selection: Selection = { format: 'ndjson' }): Promise<string> {
  return (await resolvePartialFile(file, selection)).path;
}

/** Keeps the output of the command out of the log of the tests. Returns a function that returns what was printed. */
function silence(): () => string {
  let printed = '';
  const spies = [
    vi.spyOn(console, 'error').mockImplementation((text) => void (printed += `${text}\n`)),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return () => printed;
}
