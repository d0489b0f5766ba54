import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../../../testkit/listen.js';
import { startTestService } from '../../../testkit/service.js';
import { runExport as run, type Target } from './run-export.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const nowhere: Target = { url: 'http://127.0.0.1:9', key: 'sk_x' };

test.each([
  ['an unknown session', ['--session', 'unknown'], /responded with 404 No data for this session: check --session /],
  ['an unknown person', ['--subject', 'unknown'], /responded with 404 No data for this subject: check --session /],
  ['an invalid cursor', ['--cursor', 'x'], /responded with 422 .*: check --cursor/],
])('%s is reported in one line, and no file is left', async (_, args, message) => {
  const folder = await temporaryFolder();
  const { code, stdout, stderr } = await run(await startTestService(), ...args, '--out', join(folder, 'rows'));
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect({ code, stdout, files: await readdir(folder) }).toEqual({ code: 1, stdout: '', files: [] });
});

test.each([
  ['a wrong key', 'sk_wrong', /^error: the service rejected the key \(401 Invalid API key\): set --key .*\n$/],
  ['a malformed key', 'sk_schlüssel', /^error: no usable key: set --key .*\n$/],
  ['no key', '', /^error: no usable key: set --key .*\n$/],
])('%s is reported in one line with the remedy, like replay', async (_, key, message) => {
  const { code, stdout, stderr } = await run({ url: (await startTestService()).url, key });
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain('schl');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test.each([
  ['an unreachable service', [], /cannot reach the service at \S+ \(.+\): start it, or set --url/],
  ['two selections', ['--session', 'a', '--subject', 'b'], /pass either --session or --subject/],
  ['--resume without a file', ['--resume'], /--resume requires --out/],
  ['a file in a file', ['--out', 'package.json/rows'], /cannot write --out \S+: a part of the path is a file\. Choose/],
  ['a folder as the file', ['--out', 'docs'], /cannot write --out docs: it is a folder\. Add a file name/],
])('%s is reported in one line before the export starts', async (_, args, message) => {
  const { code, stdout, stderr } = await run(nowhere, ...args);
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

/** Starts a server that always sends this response. */
async function startServer(status: number, headers: Record<string, string>, body: string): Promise<Target> {
  const server = createServer((_, response) => void response.writeHead(status, headers).end(body));
  return { url: await listen(server), key: 'sk_x' };
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
  [
    'a row without a cursor',
    [200, { 'Content-Type': 'application/x-ndjson' }, '{"a":1}\n'],
    /is not this service: set --url/,
  ],
] as const)('%s ends the export at once', async (_, [status, headers, body], message) => {
  const { code, stdout, stderr } = await run(await startServer(status, { ...headers }, body));
  expect(stderr).toMatch(message);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});
