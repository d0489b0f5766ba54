import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { operations } from '../../scripts/docs/contract.js';
import { sampleRequest } from '../../scripts/docs/sample-request.js';
import { localServer, samplesOf } from '../../scripts/docs/samples.js';
import { root, startTestService } from '../support/service.js';

const run = promisify(execFile);
const limitMs = 30_000;
const tsx = new URL('node_modules/.bin/tsx', root).pathname;

const languages = [
  { language: 'curl', file: 'sample.sh', command: 'bash' },
  { language: 'TypeScript', file: 'sample.mts', command: tsx },
];
const python = { language: 'Python', file: 'sample.py', command: 'python3' };
const hasPython = spawnSync(python.command, ['--version']).status === 0;
/** In this order: what is read must have been written. */
const story = ['ingest', 'getState', 'getHistory', 'registerWebhook', 'listWebhooks', 'getHealth'];

test.each(languages)('the $language samples work as they stand', tellStory);
// The others are on every machine that can run the tests; this one is reported as skipped where it is missing.
test.skipIf(!hasPython)('the Python samples work as they stand', () => tellStory(python));

async function tellStory({ language, file, command }: (typeof languages)[number]): Promise<void> {
  const { url, key } = await startTestService();
  const folder = await mkdtemp(join(tmpdir(), 'state-service-sample-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const ask = async (id: string) => {
    const operation = operations.find((it) => it.id === id);
    if (!operation) throw new Error(`no operation ${id}`);
    const sample = samplesOf(sampleRequest(operation)).find((it) => it.language === language);
    await writeFile(join(folder, file), (sample?.code ?? '').replaceAll(localServer, url));
    const env = { PATH: process.env['PATH'], KEY: key };
    const { stdout } = await run(command, [join(folder, file)], { env, timeout: limitMs });
    return stdout;
  };
  const answers = new Map<string, string>();
  for (const id of story) answers.set(id, await ask(id));
  expect(answers.get('ingest')).toMatch(/demo-session[^]*stress_score/);
  expect(answers.get('getState')).toMatch(/demo-session[^]*stress_score/);
  expect(answers.get('getHistory')).toMatch(/datapoints[^]*heart_rate/);
  expect(answers.get('registerWebhook')).toMatch(/whsec_/);
  expect(answers.get('listWebhooks')).toMatch(/example\.com/);
  expect(answers.get('getHealth')).toMatch(/ok/);
}

test('every operation has samples with the key in its header, and events have none', () => {
  for (const operation of operations.filter(({ path }) => path !== undefined)) {
    for (const { code } of samplesOf(sampleRequest(operation))) {
      expect(code.includes('X-Service-Key')).toBe(operation.needsKey);
      expect(code).not.toContain('undefined');
    }
  }
});
