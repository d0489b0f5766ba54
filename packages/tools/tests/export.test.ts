import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { root, startTestService, type TestService } from '../../../testkit/service.js';
import { runExport as run, type Target } from './run-export.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  for (let index = 0; index < 12; index += 1) {
    const names = { session_id: `s${index % 3}`, ...(index % 3 < 2 && { subject_id: 'p' }) };
    await service.read({ ...names, timestamp: service.clock.at(), heart_rate: 60 + index, source_device: 'a, "b"' });
    service.clock.advance(20);
  }
});

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

/** Runs the command in a shell, which redirects its output. */
function runInShell({ url, key }: Target, redirection: string): Promise<{ code: number; stderr: string }> {
  const line = `"${process.execPath}" dist/main.js tools export --url ${url} ${redirection}`;
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

test('a full disk behind standard output is an error, and a reader that ends early is not', async () => {
  const full = await runInShell(service, '> /dev/full');
  expect(full).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: cannot write to standard output: the disk is full/),
  });
  expect(await runInShell(service, '| head -c 1 > /dev/null')).toMatchObject({ code: 0 });
  expect(await runInShell(service, '--out /dev/null')).toEqual({ code: 0, stderr: 'Exported 12 readings.\n' });
});
