import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import manifest from '../../package.json' with { type: 'json' };
import entry from '../../server.json' with { type: 'json' };
import { allow, setUp } from '../../testkit/consents.js';
import { everyToolCall } from '../../testkit/mcp-tools.js';
import { startTestService } from '../../testkit/service.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, ...args], env }));
  onTestFinished(() => client.close());
  return client;
}

test('a call to a service that does not respond returns an error with the URL of the service', async () => {
  const client = await start(['mcp', '--url', 'http://127.0.0.1:9', '--key', 'sk_none']);
  const failed = await client.callTool({ name: 'list_sessions', arguments: {} });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('no response from http://127.0.0.1:9');
});

/** The rules of the registry of MCP (server.json, 2025-12-11) that matter here. */
const input = {
  required: ['name', 'description'],
  properties: {
    name: {},
    description: {},
    default: {},
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
  additionalProperties: false,
};
const text = { type: 'string', minLength: 1, maxLength: 100 };
const registryRules = {
  required: ['$schema', 'name', 'description', 'version', 'repository', 'packages'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', minLength: 3, maxLength: 200 },
    ...{ title: text, description: text, version: { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+$` } },
    repository: {
      required: ['url', 'source'],
      properties: { url: { pattern: '^https://' }, source: { const: 'github' } },
    },
    packages: {
      minItems: 1,
      items: {
        required: ['registryType', 'identifier', 'version', 'transport'],
        properties: {
          ...{ registryType: { const: 'npm' }, registryBaseUrl: { const: 'https://registry.npmjs.org' } },
          ...{ identifier: {}, version: {}, runtimeHint: { const: 'npx' } },
          packageArguments: { items: { required: ['type', 'value'], properties: { type: { const: 'positional' } } } },
          environmentVariables: { items: input },
          transport: { properties: { type: { const: 'stdio' } }, additionalProperties: false },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

test('the entry of the MCP registry is valid, and starts the server, with which the official client runs every tool, with the errors of the service', async () => {
  const service = await setUp(await startTestService(), { consent: 'record' });
  await allow(service, 'ben', ['vocal']);
  const validate = new Ajv({ strict: false }).compile(registryRules);
  expect([validate(entry), validate.errors]).toEqual([true, null]);
  const [listed] = entry.packages;
  expect(entry).toMatchObject({ name: manifest.mcpName, version: manifest.version });
  expect(listed).toMatchObject({ identifier: manifest.name, version: manifest.version });
  const values = [service.url, service.key];
  const env = listed?.environmentVariables.map(({ name }, index) => [name, values[index] ?? '']) ?? [];
  const client = await start(listed?.packageArguments.map(({ value }) => value) ?? [], Object.fromEntries(env));
  // `arguments: null` means no arguments.
  const call = { name: 'list_sessions', arguments: null as unknown as Record<string, never> };
  expect((await client.callTool(call)).structuredContent).toEqual({ sessions: [], next_cursor: null });
  for (const [name, args] of Object.entries(everyToolCall('stdio-all', 'ben')))
    expect([name, (await client.callTool({ name, arguments: args })).isError ?? false]).toEqual([name, false]);
  const failed = await client.callTool({ name: 'get_human_state', arguments: { session_id: 'none' } });
  expect(failed).toMatchObject({ isError: true });
  expect(JSON.stringify(failed.content)).toContain('session_not_found');
});
