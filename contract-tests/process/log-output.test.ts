import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { pythonWith } from '../../testkit/python.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { fromNdjson } from '../../testkit/batch.js';

const main = new URL('../../dist/main.js', import.meta.url).pathname;
/** Number of requests whose log lines of about 150 bytes exceed the buffer of a pipe (64 KB). */
const overflowing = 1_000;
const atOnce = 50;
const python = pythonWith();
const testWithPython = test.runIf(python);

test('a full log volume (ENOSPC) stops neither requests nor SIGTERM, and dropped lines are counted', async () => {
  const full = await open('/dev/full', 'w');
  onTestFinished(() => full.close());
  await expectToServe(await launch([process.execPath, main], full.fd));
});

test('the log is JSON: start and requests, probes only at level debug, and a closed reader of it (EPIPE) stops neither requests nor SIGTERM', async () => {
  const service = await launch([process.execPath, main], 'pipe');
  let text = '';
  service.child.stderr?.on('data', (data) => (text += data));
  await fetch(`${service.url}/healthz`);
  await fetch(`${service.url}/v1/state`);
  await expect.poll(() => text).toContain('"msg":"request"');
  service.child.stderr?.destroy();
  const lines = fromNdjson(text);
  expect(lines.filter(({ msg }) => msg === 'started')).toMatchObject([
    { url: service.url, version: contract.info.version },
  ]);
  expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([{ operation: 'getState', status: 401 }]);
  await expectToServe(service);
});

test('a stalled reader of the log stops neither requests nor SIGTERM', async () => {
  const service = await launch([process.execPath, main], 'pipe');
  service.child.stderr?.pause();
  await expectToServe(service, overflowing, 0);
});

testWithPython('the log on a terminal is text: time, level, message and few fields', async () => {
  const { url: DATABASE_URL } = await migratedDatabase();
  // Runs the program in a pseudo-terminal, and stops it after its start.
  const script = `
import os, pty, signal, sys
text, stopped = b'', False
pid, fd = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
while True:
    try: data = os.read(fd, 4096)
    except OSError: break
    if not data: break
    text += data
    if b'Listening' in text and not stopped: stopped = True; os.kill(pid, signal.SIGTERM)
sys.stdout.buffer.write(text)`;
  const env = { PATH: process.env['PATH'], DATABASE_URL, PORT: '0', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(python ?? '', ['-c', script, process.execPath, main], { env });
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d INFO {2}started version=\d+\.\d+\.\d+ url=http:\S+ database=sqlite\r$/m);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d WARN {2}webhooks /m);
  expect(stdout).toMatch(/^\d\d:\d\d:\d\d INFO {2}stopped uptime_s=\d+\r$/m);
  expect(stdout).not.toContain('"level"');
});

interface Launched {
  readonly url: string;
  readonly metricsUrl: string;
  readonly child: ReturnType<typeof spawn>;
  readonly ended: Promise<unknown[]>;
}

async function launch([file = '', ...args]: string[], stderr: 'ignore' | 'pipe' | number): Promise<Launched> {
  const { url: DATABASE_URL } = await migratedDatabase();
  const env = { PATH: process.env['PATH'], DATABASE_URL, PORT: '0', METRICS_PORT: '0' };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', stderr] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let stdout = '';
  child.stdout?.on('data', (data) => (stdout += data));
  await expect.poll(() => stdout).toMatch(/Metrics on \S+\n/);
  const [, url = ''] = /Listening on (\S+)/.exec(stdout) ?? [];
  const [, metricsUrl = ''] = /Metrics on (\S+)/.exec(stdout) ?? [];
  return { url, metricsUrl, child, ended };
}

async function expectToServe(
  { url, metricsUrl, child, ended }: Launched,
  requests = 2 * atOnce,
  droppedMin = 1,
): Promise<void> {
  for (let sent = 0; sent < requests; sent += atOnce) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => fetch(`${url}/v1/state`)));
    expect(answers.filter(({ status }) => status === 401 || status === 429)).toHaveLength(atOnce);
    await Promise.all(answers.map((answer) => answer.text()));
  }
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const readDropped = async () =>
    Number(/^state_service_log_lines_dropped_total (\d+)$/m.exec(await (await fetch(metricsUrl)).text())?.[1]);
  await expect.poll(readDropped).toBeGreaterThanOrEqual(droppedMin);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}
