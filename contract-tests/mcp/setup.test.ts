import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../../testkit/command-line.js';
import { startTestService, type TestService } from '../../testkit/service.js';

const run = promisify(execFile);
const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

let service: TestService;
let home: string;

const { HOME = '' } = process.env;
const folder = process.cwd();

/** The commands run in this process, in an empty home that is also the project. */
beforeAll(async () => {
  service = await startTestService();
  home = await mkdtemp(join(tmpdir(), 'mcp-setup-'));
  process.env['HOME'] = home;
  process.chdir(home);
});

afterAll(() => {
  process.env['HOME'] = HOME;
  process.chdir(folder);
  return rm(home, { recursive: true });
});

/** Runs `mcp setup`. Resolves with its output. Rejects with its error. */
async function setup(key: string | undefined, ...args: string[]): Promise<string> {
  const env = { SERVICE_URL: service.url, ...(key && { SERVICE_KEY: key }) };
  const { code, stdout, stderr } = await runHere(['mcp', 'setup', ...args], env);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

test.each([['mcp'], ['mcp', 'setup']])('an invalid SERVICE_URL is named by %s', async (...command) => {
  const { code, stderr } = await runHere(command, { SERVICE_URL: 'notaurl', SERVICE_KEY: 'sk_1' });
  expect(stderr).toMatch(/'notaurl' from env 'SERVICE_URL' is invalid. It must start with http:\/\/ or https:\/\//);
  expect(code).toBe(1);
});

const strings = { type: 'object', additionalProperties: { type: 'string' } };
const closed = (required: string[], properties: object) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
/** The fields of an entry that the documentation of the agent names, with those that it requires. */
const schemas = {
  http: closed(['type', 'url'], { type: { const: 'http' }, url: { type: 'string' }, headers: strings }),
  url: closed(['url'], { url: { type: 'string' }, headers: strings }),
  serverUrl: closed(['serverUrl'], { serverUrl: { type: 'string' }, headers: strings }),
  streamableHttp: closed(['type', 'url'], {
    ...{ type: { const: 'streamableHttp' }, url: { type: 'string' }, headers: strings },
    ...{ disabled: { type: 'boolean' }, autoApprove: { type: 'array' } },
  }),
  command: closed(['command'], {
    ...{ command: { type: 'string' }, args: { type: 'array', items: { type: 'string' } }, env: strings },
  }),
};

interface Documented {
  readonly file: string;
  readonly group: 'mcpServers' | 'servers';
  readonly schema: keyof typeof schemas;
  /** The syntax in which the agent reads an environment variable in a header. Absent: it reads none. */
  readonly reference?: string;
}

const claudeDesktop = join(
  process.platform === 'darwin' ? 'Library/Application Support' : '.config',
  'Claude/claude_desktop_config.json',
);
const agents: Record<string, Documented> = {
  'claude-code': { file: '.mcp.json', group: 'mcpServers', schema: 'http', reference: '${SERVICE_KEY}' },
  'claude-desktop': { file: claudeDesktop, group: 'mcpServers', schema: 'command' },
  cursor: { file: '.cursor/mcp.json', group: 'mcpServers', schema: 'url', reference: '${env:SERVICE_KEY}' },
  windsurf: {
    ...{ file: '.codeium/windsurf/mcp_config.json', group: 'mcpServers', schema: 'serverUrl' },
    reference: '${env:SERVICE_KEY}',
  },
  vscode: { file: '.vscode/mcp.json', group: 'servers', schema: 'http', reference: '${env:SERVICE_KEY}' },
  cline: { file: '.cline/data/settings/cline_mcp_settings.json', group: 'mcpServers', schema: 'streamableHttp' },
};

interface Entry {
  readonly url?: string;
  readonly serverUrl?: string;
  readonly headers?: Record<string, string>;
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

test.each(Object.entries(agents))(
  '--write %s writes an entry that the agent accepts and that works',
  async (agent, it) => {
    const output = await setup(service.key, '--write', agent);
    const text = await readFile(join(home, it.file), 'utf8');
    expect((await stat(join(home, it.file))).mode & 0o777).toBe(0o600);
    const { [it.group]: servers, ...rest } = JSON.parse(text) as Record<string, Record<string, Entry>>;
    expect([Object.keys(servers ?? {}), rest]).toEqual([['realtime-state'], {}]);
    const entry = servers?.['realtime-state'] as Entry;
    const validate = new Ajv().compile(schemas[it.schema]);
    expect([validate(entry), validate.errors]).toEqual([true, null]);
    expect(text.includes(service.key)).toBe(it.reference === undefined);
    expect(output).toContain(it.reference === undefined ? 'contains the key' : 'refers to SERVICE_KEY');
    if (it.schema === 'command') return runsTools(entry);
    const headers = { ...entry.headers, 'X-Service-Key': entry.headers?.['X-Service-Key'] ?? '' };
    if (it.reference !== undefined) {
      expect(headers['X-Service-Key']).toBe(it.reference);
      headers['X-Service-Key'] = service.key;
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const types = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    const url = entry.url ?? entry.serverUrl ?? '';
    const answer = await fetch(url, { method: 'POST', headers: { ...types, ...headers }, body });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('get_human_state')]);
  },
);

async function runsTools({ command, args, env }: Entry): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env }));
  const { isError } = await client.callTool({ name: 'list_sessions', arguments: {} });
  await client.close();
  expect(isError ?? false).toBe(false);
}

test('--write keeps comments, trailing commas and the format of a file, also when it replaces its entry', async () => {
  const file = join(home, '.vscode/mcp.json');
  const text = `// Servers of the project.
{
\t"inputs": [], // none
\t"servers": {
\t\t/* the first one */
\t\t"other": { "type": "http", "url": "https://a.example/mcp" }, // a note
\t},
}
`;
  await mkdir(join(home, '.vscode'), { recursive: true });
  await writeFile(file, text);
  await setup(undefined, '--write', 'vscode');
  const written = await readFile(file, 'utf8');
  const [entry = ''] = /\n\t\t"realtime-state": \{.*?\n\t\t\},/s.exec(written) ?? [];
  expect(written.replace(entry, '')).toBe(text);
  const added = JSON.parse(`{${entry.slice(0, -1)}}`);
  expect(Object.keys(added['realtime-state'])).toEqual(['type', 'url', 'headers']);
  await writeFile(file, written.replace(`"url": "${service.url}/mcp"`, '"url": "https://old.example/mcp"'));
  await setup(undefined, '--write', 'vscode');
  expect(await readFile(file, 'utf8')).toBe(written);
});

test.each([
  ['{ "servers": [] }', '"servers" is not an object'],
  ['[]', 'it is not a JSON object'],
  ['{ "servers": {', 'it is not JSON (CloseBraceExpected at character 15)'],
  ['// nothing', 'it is not JSON'],
])('--write does not change a file with %s', async (text, reason) => {
  const file = join(home, '.vscode/mcp.json');
  await mkdir(join(home, '.vscode'), { recursive: true });
  await writeFile(file, text);
  await expect(setup(undefined, '--write', 'vscode')).rejects.toThrow(`was not changed: ${reason}`);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('--write codex writes a table whose header comes from the environment', async () => {
  await setup(undefined, '--write', 'codex');
  expect(await readFile(join(home, '.codex/config.toml'), 'utf8')).toBe(
    `[mcp_servers.realtime-state]\nurl = "${service.url}/mcp"\nenv_http_headers = { "X-Service-Key" = "SERVICE_KEY" }\n`,
  );
  await expect(setup(undefined, '--write', 'codex')).rejects.toThrow('already has');
});

test('a file with a reference needs no key, and a file with the key is not written without one', async () => {
  await setup(undefined, '--write', 'cursor');
  await rm(join(home, '.cline'), { recursive: true, force: true });
  await expect(setup(undefined, '--write', 'cline', 'cursor')).rejects.toThrow('an API key is missing');
  expect(await readdir(home)).not.toContain('.cline');
});

test('the configuration of a program names its file, not the link that npx started', async () => {
  const link = join(home, 'state-service');
  await symlink(program, link);
  const env = { PATH: process.env['PATH'], HOME: home, SERVICE_URL: service.url, SERVICE_KEY: service.key };
  const { stdout } = await run(process.execPath, [link, 'mcp', 'setup'], { cwd: home, env });
  expect(stdout).toContain(JSON.stringify(program));
  expect(stdout).not.toContain(link);
});

test('without --write, the configurations are printed, each under the name that --write has for the agent', async () => {
  const before = await readdir(home);
  const output = await setup(undefined);
  expect(await readdir(home)).toEqual(before);
  const headings = output.split('\n').filter((line) => /^[a-z-]+ \(.*\), .*:$/.test(line));
  expect(headings.map((line) => line.split(' ')[0])).toEqual([...Object.keys(agents), 'codex', 'stdio']);
  expect(output).toContain('--scope project --transport http realtime-state');
  expect(output).toContain("--header 'X-Service-Key: ${SERVICE_KEY}'");
});
