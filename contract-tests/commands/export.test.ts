import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { root, startTestService, type TestService } from '../support/service.js';
import { type Ended, runCommand } from './run-script.js';
import { temporaryFolder } from './temporary-folder.js';

type Target = Pick<TestService, 'url' | 'key'>;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (let index = 0; index < 12; index += 1) {
    const names = { session_id: `s${index % 3}`, ...(index % 3 < 2 && { subject_id: 'p' }) };
    await service.read({ ...names, timestamp: service.clock.at(), heart_rate: 60 + index, source_device: 'a, "b"' });
    service.clock.advance(20);
  }
});

/** Runs the command of the built program. */
function run({ url, key }: Target, ...args: string[]): Promise<Ended> {
  return runCommand('export', ['--url', url, ...args], { SERVICE_KEY: key });
}

async function operation({ url, key }: Target, query = ''): Promise<string> {
  return (await fetch(`${url}/v1/export?${query}`, { headers: { 'X-Service-Key': key } })).text();
}

test.each([
  ['the account', [], ''],
  ['a session', ['--session', 's1'], 'session_id=s1'],
  ['a person', ['--subject', 'p'], 'subject_id=p'],
  ['a person as CSV', ['--subject', 'p', '--format', 'csv'], 'subject_id=p&format=csv'],
])('standard output has exactly the rows of %s', async (_, args, query) => {
  const { code, stdout, stderr } = await run(service, ...args);
  expect(stdout).toBe(await operation(service, query));
  expect(stderr).toMatch(/^Exported \d+ readings\.\n$/);
  expect(code).toBe(0);
});

test('--out replaces a file by the rows, and --cursor leaves out the rows up to it', async () => {
  const file = join(await temporaryFolder(), 'rows.ndjson');
  await writeFile(file, 'an earlier export');
  expect(await run(service, '--out', file)).toEqual({ code: 0, stdout: '', stderr: 'Exported 12 readings.\n' });
  const all = await readFile(file, 'utf8');
  expect(all).toBe(await operation(service));
  expect(await readdir(join(file, '..'))).toEqual(['rows.ndjson']);
  const lines = all.trimEnd().split('\n');
  const { stdout } = await run(service, '--cursor', JSON.parse(lines[8] ?? '').cursor);
  expect(stdout.trimEnd().split('\n')).toEqual(lines.slice(9));
});

const nowhere: Target = { url: 'http://127.0.0.1:9', key: 'sk_x' };

test.each([
  [
    'an unknown session',
    ['--session', 'unknown'],
    /rejected the export \(404 No data for this session\): check --session /,
  ],
  [
    'an unknown person',
    ['--subject', 'unknown'],
    /rejected the export \(404 No data for this subject\): check --session /,
  ],
  ['an invalid cursor', ['--cursor', 'x'], /rejected the export \(422 .*\): check --cursor/],
])('%s is reported in one line, and no file is left', async (_, args, message) => {
  const folder = await temporaryFolder();
  const { code, stdout, stderr } = await run(service, ...args, '--out', join(folder, 'rows'));
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect({ code, stdout, files: await readdir(folder) }).toEqual({ code: 1, stdout: '', files: [] });
});

test.each([
  ['a wrong key', 'sk_wrong', /^error: the service rejected the key \(401 Invalid API key\): set --key .*\n$/],
  ['a malformed key', 'sk_schlüssel', /^error: no usable key: set --key .*\n$/],
  ['no key', '', /^error: no usable key: set --key .*\n$/],
])('%s is reported in one line with the remedy, like replay', async (_, key, message) => {
  const { code, stdout, stderr } = await run({ url: service.url, key });
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('schl');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.each([
  ['an unreachable service', [], /cannot reach the service at \S+ \(.+\): start it, or set --url/],
  [
    'a plot of all sessions',
    ['--plot', 'x.svg'],
    /--plot draws one session or one person: add --session ID or --subject ID/,
  ],
  ['two selections', ['--session', 'a', '--subject', 'b'], /pass either --session or --subject/],
  ['--resume without a file', ['--resume'], /--resume requires --out/],
  ['one path for both', ['--session', 'a', '--out', 'x', '--plot', './x'], /--out and --plot name the same file/],
  ['a file in a file', ['--out', 'package.json/rows'], /cannot write --out \S+: a part of the path is a file\. Choose/],
  ['a folder as the file', ['--out', 'docs'], /cannot write --out docs: it is a folder\. Add a file name/],
  ['a folder as the plot', ['--session', 'a', '--plot', 'docs'], /cannot write --plot docs: it is a folder\. Add/],
])('%s is reported in one line before the export starts', async (_, args, message) => {
  const { code, stdout, stderr } = await run(nowhere, ...args);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

/** Starts a server that always sends this response. */
async function serverOf(status: number, headers: Record<string, string>, body: string): Promise<Target> {
  const server = createServer((_, response) => void response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'sk_x' };
}

test.each([
  ['a page of another program', [200, { 'Content-Type': 'text/html' }, '<html>'], /is not this service: set --url/],
  ['a 404 of another program', [404, {}, 'not found'], /is not this service: set --url/],
  [
    'a redirect',
    [301, { Location: 'https://other.example/' }, ''],
    /redirects to https:\/\/other\.example\/: set --url/,
  ],
  ['a quota that is used up', [429, { 'Retry-After': '900' }, '{}'], /429 .*: run the command again in 900 s/],
  ['a row without a cursor', [200, { 'Content-Type': 'application/x-ndjson' }, '{"a":1}\n'], /a row has no cursor/],
] as const)('%s ends the export at once', async (_, [status, headers, body], message) => {
  const { code, stdout, stderr } = await run(await serverOf(status, { ...headers }, body));
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

/** Runs the command in a shell, which redirects its output. */
function runInShell({ url, key }: Target, redirection: string): Promise<{ code: number; stderr: string }> {
  const line = `"${process.execPath}" dist/main.js export --url ${url} ${redirection}`;
  const options = {
    cwd: fileURLToPath(root),
    encoding: 'utf8' as const,
    env: { PATH: process.env['PATH'], SERVICE_KEY: key },
  };
  return new Promise((resolve) => {
    const { stdin } = execFile('bash', ['--norc', '-o', 'pipefail', '-c', line], options, (error, _, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stderr }),
    );
    stdin?.end();
  });
}

test('a full disk behind standard output is an error, and a reader that ends early is none', async () => {
  const full = await runInShell(service, '> /dev/full');
  expect(full).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: cannot write to standard output: the disk is full/),
  });
  expect(await runInShell(service, '| head -c 1 > /dev/null')).toMatchObject({ code: 0 });
  expect(await runInShell(service, '--out /dev/null')).toEqual({ code: 0, stderr: 'Exported 12 readings.\n' });
});
