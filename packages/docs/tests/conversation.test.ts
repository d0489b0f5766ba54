import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { guideCode } from '../../../testkit/guide-code.js';
import { pythonWith } from '../../../testkit/python.js';
import { root, startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const run = promisify(execFile);
const interpreter = pythonWith('httpx');
const isPythonCovered = interpreter !== undefined || process.env['TEST_PYTHON_REQUIRED'] === '1';

test('the conversation without sensors in TypeScript adapts to distress', async () => {
  const code = await guideCode('docs/agents.md', 'export async function adaptPrompt');
  const client = new URL('packages/client/src/index.ts', root).pathname;
  await adaptsToDistress({
    session: 'demo-chat',
    ...{ file: 'sample.mts', command: new URL('node_modules/.bin/tsx', root).pathname },
    code: code.replace("'realtime-state-client'", `'${client}'`),
  });
});

test.runIf(isPythonCovered)('the conversation without sensors in Python adapts to distress', async () => {
  const code = await guideCode('docs/agents.md', 'def adapt_prompt');
  await adaptsToDistress({
    session: 'demo-chat-python',
    ...{ file: 'sample.py', command: interpreter ?? 'python3' },
    code,
  });
});

/** Runs a program that prints two prompts, before and after a message of distress, as the guide shows them. */
async function adaptsToDistress({
  session,
  file,
  command,
  code,
}: Record<'session' | 'file' | 'command' | 'code', string>) {
  const { url, key, request } = await startTestService();
  const folder = await temporaryFolder();
  await writeFile(join(folder, file), code);
  const PYTHONPATH = new URL('packages/client-python/src', root).pathname;
  const env = { PATH: process.env['PATH'], PYTHONPATH, SERVICE_URL: url, SERVICE_KEY: key };
  const { stdout } = await run(command, [join(folder, file)], { env });
  const [calm, stressed] = stdout.trim().split('\n');
  const { body } = await request(`/v1/state?session_id=${session}`);
  expect(body.state).toBe('stressed');
  expect(stressed).toBe(`You are a helpful assistant. ${body.recommendation}`);
  expect(calm).not.toBe(stressed);
  expect(stdout).toBe(await guideCode('docs/agents.md', 'You are a helpful assistant. Answer'));
}
