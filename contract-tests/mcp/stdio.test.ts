import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { startTestService } from '../support/service.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function connect(url: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const args = [program, 'mcp', '--url', url, '--key', key];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  return client;
}

test('the official client calls tools over stdio, with the errors of the service', async () => {
  const { url, key } = await startTestService();
  const client = await connect(url, key);
  const args = { session_id: 'stdio', heart_rate: 95 };
  expect((await client.callTool({ name: 'ingest', arguments: args })).structuredContent).toMatchObject(
    (await (await fetch(`${url}/v1/state?session_id=stdio`, { headers: { 'X-Service-Key': key } })).json()) as object,
  );
  const failed = await client.callTool({ name: 'get_human_state', arguments: { session_id: 'none' } });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('session_not_found');
});

test('a service that does not respond is an error that names its URL', async () => {
  const client = await connect('http://127.0.0.1:9', 'sk_none');
  const failed = await client.callTool({ name: 'list_sessions', arguments: {} });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('no response from http://127.0.0.1:9');
});

test('mcp setup prints configurations with the URL and the key', async () => {
  const args = [program, 'mcp', 'setup', '--url', 'https://state.example.com', '--key', 'sk_1'];
  const { stdout } = await run(process.execPath, args);
  for (const text of ['claude mcp add', '"mcpServers"', '[mcp_servers.realtime-state]']) expect(stdout).toContain(text);
  expect(stdout).toContain('https://state.example.com/mcp');
  expect(stdout).toContain('sk_1');
});
