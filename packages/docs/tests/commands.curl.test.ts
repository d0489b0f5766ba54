import { createKeyTable } from '../../../src/store/keys.js';
import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createKey } from '../../../src/keys/manage.js';
import { localServer } from '../samples.js';
import { settingsFor } from '../../../testkit/databases.js';
import { guideCode } from '../../../testkit/guide-code.js';
import { root, startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const run = promisify(execFile);
const main = new URL('dist/main.js', root).pathname;
/** Its commands run on machines of their own: `npm run lab -- check runbook`. */
const runbook = 'cluster-runbook.md';
const guides = (await readdir(new URL('docs/', root))).filter((it) => it.endsWith('.md') && it !== runbook);
const files = ['README.md', ...guides.map((it) => `docs/${it}`)];

/** Fragments of commands that this test does not run, with the reason or the test that runs them. */
const notRun: ReadonlyArray<readonly [fragment: string, reason: string]> = [
  ['npm ci', 'installs'],
  ['npm start', 'process/start.test.ts'],
  ['npm pack', 'process/package.test.ts'],
  ['npm install', 'installs'],
  ['pip install', 'installs'],
  ['127.0.0.1:8090', 'requires a model: gateway/guide.test.ts'],
  ['SERVICE_KEY=sk_…', 'a placeholder of the key'],
  ['DATABASE_URL=', 'a placeholder of the hosts'],
  ['state-service gateway', 'gateway/process.test.ts'],
  ['mcp setup --write', 'writes to the home folder: mcp/stdio.test.ts'],
  ['state-service audit --accept consents', 'a placeholder of the row: row-codes.test.ts'],
  ['state-service tools evaluate --file my.csv', 'a placeholder of the file: commands/evaluate.test.ts'],
  ['evaluate --file day.csv --feedback', 'requires reports of people: commands/evaluate.test.ts'],
  ['state-service tools benchmark', 'requires the public data: packages/tools/tests/benchmark.test.ts'],
  ['state-service tools import', 'commands/replay-recordings.test.ts'],
  ['state-service tools listen', 'runs until Ctrl-C: commands/listen.test.ts'],
  ['state-service tools mqtt', 'runs until Ctrl-C: commands/mqtt.mosquitto.test.ts'],
  ['curl -N', 'runs until Ctrl-C: streamEvents/200.test.ts'],
  ['systemctl enable', 'changes the system: process/units.test.ts'],
  ['systemctl restart', 'changes the system: process/package.test.ts'],
  ['/consent" \\\n', 'requires an account that records consent: putConsent/200.test.ts'],
  ['backup --every', 'runs until a signal: process/backup-schedule.test.ts'],
  ['state-service restore', 'requires a stopped service: process/restore.test.ts'],
];

interface Block {
  readonly file: string;
  readonly code: string;
}

const blocks = (
  await Promise.all(
    files.map(async (file): Promise<Block[]> => {
      const text = await readFile(new URL(file, root), 'utf8');
      return [...text.matchAll(/^```(?:sh|bash)\n([^]*?)^```$/gm)].map(([, code = '']) => ({ file, code }));
    }),
  )
).flat();
const reasonNotToRun = ({ code }: Block) => notRun.find(([fragment]) => code.includes(fragment))?.[1];

/** Returns a folder with the programs that the commands call: state-service runs the built program. */
async function createShell(): Promise<string> {
  const folder = await temporaryFolder();
  const program = `exec "${process.execPath}" "${main}"`;
  const programs = {
    'state-service': `${program} "$@"`,
    curl: 'exec /usr/bin/curl --fail-with-body "$@"',
  };
  await mkdir(join(folder, 'bin'));
  for (const [name, script] of Object.entries(programs)) {
    await writeFile(join(folder, 'bin', name), `#!/bin/bash\n${script}\n`);
    await chmod(join(folder, 'bin', name), 0o755);
  }
  return folder;
}

test('every command of the README and of the guides works as written', async () => {
  const { url, key, store, database, clock, post, read } = await startTestService();
  await read({ session_id: 'demo-session', subject_id: '5f2b51ca2b4d1a7e', heart_rate: 88 });
  const webhook = await post('/webhooks/register', { url: 'https://example.com/x', events: ['state_change'] });
  const cwd = await createShell();
  const reading = `{"session_id":"s1","timestamp":"${clock.at()}","heart_rate":88}`;
  await writeFile(join(cwd, 'readings.ndjson'), `${reading}\n`);
  await writeFile(join(cwd, 'readings.json'), `[${reading}]`);
  const other = await createKey(store.use(createKeyTable), { account: 'other' }, clock.nowMs);
  const env = {
    ...{ PATH: `${cwd}/bin:${process.env['PATH']}`, ...settingsFor(database.url), HOME: cwd },
    ...{ SERVICE_URL: url, SERVICE_KEY: key, OTHER_URL: url, OTHER_KEY: other.key, WEBHOOK: webhook.body.id },
  };
  const failures: string[] = [];
  const runnable = blocks.filter((it) => reasonNotToRun(it) === undefined);
  for (const { file, code } of runnable) {
    // The commands use the clock of the system.
    clock.nowMs = Date.now();
    const { keyId } = await createKey(store.use(createKeyTable), { account: 'acme' }, clock.nowMs);
    const command = code.replaceAll(localServer, url).replace(/key_\w+…?/g, keyId);
    await run('bash', ['-euo', 'pipefail', '-c', command], { env, cwd }).catch(
      (error: { stdout: string; stderr: string }) => failures.push(`${file}: ${code}${error.stdout}${error.stderr}`),
    );
  }
  expect(failures).toEqual([]);
  expect(runnable.length).toBeGreaterThan(15);
}, 300_000);

test('every reason not to run a command is in use', () => {
  const unused = notRun.filter(([fragment]) => !blocks.some(({ code }) => code.includes(fragment)));
  expect(unused).toEqual([]);
});

test.each(['README.md', 'docs/getting-started.md'])(
  'the first request of %s returns the response it shows',
  async (file) => {
    const text = await readFile(new URL(file, root), 'utf8');
    const [, command = '', shown = ''] =
      /```sh\n(curl [^`]*\/v1\/ingest[^`]*)```[^`]*```json\n([^`]*)```/.exec(text) ?? [];
    const { url, key, clock } = await startTestService();
    clock.nowMs = Date.now();
    const env = { PATH: process.env['PATH'], SERVICE_KEY: key };
    const { stdout } = await run('bash', ['-c', command.replace(localServer, url)], { env });
    const { timestamp: _, ...expected } = JSON.parse(shown);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  },
);

test('the tool call of the guide returns a state', async () => {
  const command = await guideCode('docs/agents.md', 'tools/call');
  const { url, key, clock } = await startTestService();
  clock.nowMs = Date.now();
  const env = { PATH: process.env['PATH'], SERVICE_URL: url, SERVICE_KEY: key };
  const { stdout } = await run('bash', ['-c', command], { env });
  expect(stdout).toContain('"structuredContent":{"recommendation":');
});
