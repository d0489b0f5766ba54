import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { allow, setUp } from '../../testkit/consents.js';
import { everyToolCall } from '../../testkit/mcp-tools.js';
import { startTestService } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function connect(url: string, key: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const args = [program, 'mcp', '--url', url, '--key', key];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  onTestFinished(() => client.close());
  return client;
}

test('the official client runs every tool over stdio, with the errors of the service', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await allow(service, 'ben', ['vocal']);
  const client = await connect(service.url, service.key);
  for (const [name, args] of Object.entries(everyToolCall('stdio-all', 'ben')))
    expect([name, (await client.callTool({ name, arguments: args })).isError ?? false]).toEqual([name, false]);
  const failed = await client.callTool({ name: 'get_human_state', arguments: { session_id: 'none' } });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('session_not_found');
});

test('`arguments: null` means no arguments over stdio', async ({ service: { url, key } }) => {
  const client = await connect(url, key);
  const call = { name: 'list_sessions', arguments: null as unknown as Record<string, never> };
  expect((await client.callTool(call)).structuredContent).toEqual({ sessions: [], next_cursor: null });
});

test('a call to a service that does not respond returns an error with the URL of the service', async () => {
  const client = await connect('http://127.0.0.1:9', 'sk_none');
  const failed = await client.callTool({ name: 'list_sessions', arguments: {} });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('no response from http://127.0.0.1:9');
});
