import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test } from 'vitest';
import { allow, setUp } from '../../testkit/consents.js';
import { everyToolCall } from '../../testkit/mcp-tools.js';
import { startTestService } from '../../testkit/service.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

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
  const { structuredContent } = await client.callTool({ name: 'ingest', arguments: args });
  const stored = await fetch(`${url}/v1/state?session_id=stdio`, { headers: { 'X-Service-Key': key } });
  expect(await stored.json()).toMatchObject(structuredContent as object);
  const failed = await client.callTool({ name: 'get_human_state', arguments: { session_id: 'none' } });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('session_not_found');
});

test('the official client runs every tool over stdio', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await allow(service, 'ben', ['vocal']);
  const client = await connect(service.url, service.key);
  for (const [name, args] of Object.entries(everyToolCall('stdio-all', 'ben')))
    expect([name, (await client.callTool({ name, arguments: args })).isError ?? false]).toEqual([name, false]);
});

test('`arguments: null` means no arguments over stdio', async () => {
  const { url, key } = await startTestService();
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

test('mcp setup prints configurations with the URL and the key', async () => {
  const args = [program, 'mcp', 'setup', '--url', 'https://state.example.com', '--key', 'sk_1'];
  const { stdout } = await run(process.execPath, args);
  for (const text of ['claude mcp add', '"mcpServers"', '[mcp_servers.realtime-state]']) expect(stdout).toContain(text);
  expect(stdout).toContain('https://state.example.com/mcp');
  expect(stdout).toContain('sk_1');
});

test('mcp setup --write adds the service to the files of agents and keeps their other servers', async () => {
  const folder = await temporaryFolder();
  const options = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder } };
  const setup = (...agents: string[]) =>
    run(
      process.execPath,
      [program, 'mcp', 'setup', '--url', 'https://state.example.com', '--key', 'sk_1', ...agents],
      options,
    );
  await setup();
  expect(await readdir(folder)).toEqual([]);
  await mkdir(join(folder, '.cursor'));
  const cursor = join(folder, '.cursor', 'mcp.json');
  await writeFile(cursor, '{ "mcpServers": { "other": { "url": "https://other" } }, "theme": "dark" }');
  for (let count = 0; count < 2; count += 1) await setup('--write', 'cursor', 'vscode');
  const entry = { url: 'https://state.example.com/mcp', headers: { 'X-Service-Key': '${env:SERVICE_KEY}' } };
  expect(JSON.parse(await readFile(cursor, 'utf8'))).toEqual({
    mcpServers: { other: { url: 'https://other' }, 'realtime-state': entry },
    theme: 'dark',
  });
  const vscode = join(folder, '.vscode', 'mcp.json');
  expect(JSON.parse(await readFile(vscode, 'utf8'))).toEqual({
    servers: { 'realtime-state': { type: 'http', ...entry } },
  });
  expect((await stat(vscode)).mode & 0o777).toBe(0o600);
  await setup('--write', 'codex');
  const codex = join(folder, '.codex', 'config.toml');
  expect(await readFile(codex, 'utf8')).toMatch(/^\[mcp_servers\.realtime-state\]\nurl = "https:/);
  await expect(setup('--write', 'codex')).rejects.toMatchObject({ stderr: expect.stringContaining('already has') });
});
