import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { atEndOfFile } from '../../../testkit/at-end-of-file.js';
import type { Driver, Outcome } from '../../../testkit/journeys/journey.js';
import { testJourneys } from '../../../testkit/journeys/in-tests.js';
import { pythonForClient, runPython } from '../../../testkit/python.js';
import { root, startTestService } from '../../../testkit/service.js';

const client = fileURLToPath(new URL('packages/client-python', root));

for (const [name, kind] of [
  ['the synchronous Python client', 'sync'],
  ['the asynchronous Python client', 'async'],
] as const) {
  let driver: Driver | undefined;
  testJourneys(name, () => (driver ??= startDriver(kind)));
}

test('the Python client passes its own tests', async () => {
  const { url, key } = await startTestService();
  const settings = { SERVICE_URL: url, SERVICE_KEY: key };
  expect(await runPython(['-m', 'pytest', '--quiet'], client, settings)).toMatch(/\d+ passed in/);
});

/** Starts a process that runs the calls of one client, one per line. It runs those of all journeys. */
function startDriver(kind: 'sync' | 'async'): Driver {
  const env = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: 'src' };
  const python = spawn(pythonForClient() ?? 'python3', ['tests/journeys.py', kind], { cwd: client, env });
  atEndOfFile(async () => void python.kill());
  python.stderr.pipe(process.stderr);
  const lines = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  const ask = async (request: object): Promise<Outcome> => {
    python.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await lines.next();
    if (done) throw new Error(`${client}/tests/journeys.py has ended`);
    return JSON.parse(value);
  };
  return { connect: async (name, options) => void (await ask({ connect: name, options })), send: ask };
}
