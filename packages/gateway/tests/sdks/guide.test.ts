import { execFile } from 'node:child_process';
import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../testkit/temporary-folder.js';
import { guideCode } from '../../../../testkit/guide-code.js';
import { root } from '../../../../testkit/service.js';
import { type Stage, startStage } from '../stage.js';

const run = promisify(execFile);
const tsx = fileURLToPath(new URL('node_modules/.bin/tsx', root));
const shownGateway = 'http://127.0.0.1:8090';

/** Returns code of the guide with the address of the gateway of a test. */
async function codeFor({ url }: Stage, text: string): Promise<string> {
  return (await guideCode('docs/agents.md', text)).replaceAll(shownGateway, url);
}

const toEnv = ({ service }: Stage) => ({
  PATH: process.env['PATH'],
  SERVICE_KEY: service.key,
  OPENAI_API_KEY: 'model-key',
});

test('the command of the guide gets an adapted response', async () => {
  const stage = await startStage();
  const { stdout } = await run('bash', ['-c', await codeFor(stage, 'curl -si')], { env: toEnv(stage) });
  expect(stdout).toMatch(/^X-State: stressed\r$/im);
  expect(stdout).toMatch(/^X-State-Adapted: true\r$/im);
  expect(stage.upstream.requests[0]?.headers.authorization).toBe('Bearer model-key');
});

test.each([
  ['the package of OpenAI', "from 'openai'", 'packages/gateway/tests/sdks', /^relaxed Which part worries you\?\n$/],
  ['LangChain', 'createAdaptiveModel(', 'examples/langchain', /^Which part worries you\?\n$/],
])('the program of the guide with %s adapts as written', async (_, text, packages, output) => {
  const stage = await startStage();
  const folder = await temporaryFolder();
  await symlink(fileURLToPath(new URL(`${packages}/node_modules`, root)), join(folder, 'node_modules'));
  await copyFile(new URL('examples/langchain/gateway.ts', root), join(folder, 'gateway.ts'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'sample.ts'), await codeFor(stage, text));
  const { stdout } = await run(tsx, [join(folder, 'sample.ts')], { env: toEnv(stage), cwd: folder });
  expect(stdout).toMatch(output);
  expect(stage.logs.join('')).toContain('"adapted":true');
});
