import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { Groq } from 'groq-sdk';
import { Ollama } from 'ollama';
import OpenAI, { AzureOpenAI } from 'openai';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ChatOpenAI } from '../../../../examples/langchain/node_modules/@langchain/openai/dist/index.js';
import { guideCode } from '../../../../testkit/guide-code.js';
import { root } from '../../../../testkit/service.js';
import { distress, type Stage, startStage } from '../stage.js';

const run = promisify(execFile);
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

const constructors: Readonly<Record<string, unknown>> = {
  ...{ OpenAI, AzureOpenAI, Anthropic, Ollama, Groq, ChatOpenAI },
};

test('each package of the table that was tried gets an adapted response with the settings as written', async () => {
  const GATEWAY_UPSTREAMS = 'ollama=ollama:$upstream,azure=azure:$upstream';
  const stage = await startStage({ GATEWAY_UPSTREAMS });
  const headers = { 'X-State-Key': stage.service.key, 'X-State-Subject': '5f2b51ca2b4d1a7e' };
  for (const name of ['OPENAI', 'AZURE_OPENAI', 'ANTHROPIC', 'GROQ']) vi.stubEnv(`${name}_API_KEY`, 'model-key');
  onTestFinished(() => void vi.unstubAllEnvs());
  const guide = await readFile(new URL('docs/agents.md', root), 'utf8');
  const rows = [...guide.matchAll(/^\| .+ \| `(new (\w+)\(.*\))` \| [\d.]+ \|$/gm)];
  expect(rows.map(([, , name]) => name).sort()).toEqual(Object.keys(constructors).sort());
  for (const [index, [, code = '', name = '']] of rows.entries()) {
    const written = code.replaceAll(shownGateway, stage.url);
    const client = new Function(name, 'headers', `return ${written}`)(constructors[name], headers);
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: `${distress} ${name}` }] };
    await (client.messages ?? client.chat?.completions ?? client)[askWith(client)](
      name === 'ChatOpenAI' ? distress : request,
    );
    expect([name, stage.upstream.requests[index]?.body]).toEqual([
      name,
      expect.stringContaining("The person's current"),
    ]);
  }
});

function askWith(client: Record<string, unknown>): string {
  return 'invoke' in client ? 'invoke' : typeof client['chat'] === 'function' ? 'chat' : 'create';
}
