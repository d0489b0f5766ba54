import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { operations } from '../contract.js';
import { sampleRequest } from '../sample-request.js';
import { localServer, createSamples } from '../samples.js';
import { hasCommands } from '../../../testkit/has-commands.js';
import { pythonWith } from '../../../testkit/python.js';
import { realTime, startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

interface Runner {
  readonly language: string;
  readonly file: string;
  readonly command: string;
  /** Arguments before the file. */
  readonly args?: readonly string[];
}

const run = promisify(execFile);
const limitMs = 300_000;

/** Go and PHP are checked where they are installed. */
const runners: readonly Runner[] = [
  ...(hasCommands('curl') ? [{ language: 'curl', file: 'sample.sh', command: 'bash' }] : []),
  { language: 'TypeScript', file: 'sample.mts', command: process.execPath, args: ['--import', 'tsx'] },
  ...(hasCommands('php') ? [{ language: 'PHP', file: 'sample.php', command: 'php' }] : []),
  ...(hasCommands('go') ? [{ language: 'Go', file: 'sample.go', command: 'go', args: ['run'] }] : []),
];
const interpreter = pythonWith('httpx');
const python: Runner = { language: 'Python', file: 'sample.py', command: interpreter ?? 'python3' };
const isPythonCovered = interpreter !== undefined || process.env['TEST_PYTHON_REQUIRED'] === '1';
/** Operations in the order of execution. A session must exist before its state is read. */
const story = ['ingest', 'ingestBatch', 'getState', 'getHistory', 'registerWebhook', 'listWebhooks', 'getHealth'];

test.each(runners)('the $language samples run unchanged', runStory);
test.runIf(isPythonCovered)('the Python samples run unchanged', () => runStory(python));

test.runIf(isPythonCovered)('the Python sample prints the body of a 422', async () => {
  const runSample = await startSamples(python);
  const withWord = (code: string) => code.replace('"sentiment": -0.1', '"sentiment": "negative"');
  await expect(runSample('ingest', withWord)).rejects.toMatchObject({
    stderr: expect.stringMatching(/^422 .*"pointer":"\/sentiment"/),
  });
});

async function runStory(runner: Runner): Promise<void> {
  const runSample = await startSamples(runner);
  const answers = new Map<string, string>();
  for (const id of story) answers.set(id, await runSample(id));
  expect(answers.get('ingest')).toMatch(/demo-session[^]*stress_score/);
  expect(answers.get('ingestBatch')).toMatch(/['"]?accepted['"]?: ?2/);
  expect(answers.get('getState')).toMatch(/demo-session[^]*stress_score/);
  expect(answers.get('getHistory')).toMatch(/datapoints[^]*heart_rate/);
  expect(answers.get('registerWebhook')).toMatch(/whsec_/);
  expect(answers.get('listWebhooks')).toMatch(/example\.com/);
  expect(answers.get('getHealth')).toMatch(/ok/);
}

/** Starts a service. Returns a function that runs the sample of an operation against it and returns its output. */
async function startSamples({ language, file, command, args = [] }: Runner) {
  const { url, key } = await startTestService({ clock: realTime() });
  const folder = await temporaryFolder();
  const env = { PATH: process.env['PATH'], HOME: folder, SERVICE_KEY: key };
  return async (id: string, edit = (code: string) => code): Promise<string> => {
    await writeFile(join(folder, file), edit(findSample(id, language).replaceAll(localServer, url)));
    return (await run(command, [...args, join(folder, file)], { env, timeout: limitMs })).stdout;
  };
}

function findSample(id: string, language: string): string {
  const operation = operations.find((it) => it.id === id);
  if (!operation) throw new Error(`no operation ${id}`);
  return createSamples(sampleRequest(operation)).find((it) => it.language === language)?.code ?? '';
}

test('every operation has samples with the key in a header, and webhook events have no samples', () => {
  for (const operation of operations.filter(({ path }) => path !== undefined)) {
    for (const { code } of createSamples(sampleRequest(operation))) {
      expect(code.includes('X-Service-Key')).toBe(operation.needsKey);
      expect(code).not.toContain('undefined');
    }
  }
});
