import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { readGatewayConfig } from '../../packages/gateway/config.js';
import { listAllSettings } from '../../src/config/settings.js';
import { runHere } from '../../testkit/command-line.js';
import { hasCommands } from '../../testkit/has-commands.js';
import { listen } from '../../testkit/listen.js';
import { type Ended, runMain, startCommand, startMain } from '../../testkit/process.js';
import { startProgram } from '../../testkit/program.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';
import { expect, onTestFinished, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

async function sqliteUrl(): Promise<string> {
  const database = await temporaryDatabase('sqlite');
  return database.url;
}

test('an empty embedded database, which only its owner can read, gets a key, also after a failed start, and the printed command works when pasted', async () => {
  const DATABASE_URL = await sqliteUrl();
  const failed = await runMain([], { PORT: await takePort(), DATABASE_URL });
  expect(failed).toMatchObject({ code: 1 });
  expect(failed.stderr).toContain('error: HOST and PORT: another process uses the port: set PORT to another port');
  // The failed start printed no key, so the next start creates and prints it.
  const service = await startMain({ DATABASE_URL, SAFETY_URL: 'http://127.0.0.1:9' });
  for (const ending of ['', '-wal', '-shm', '.key']) {
    const { mode } = await stat(`${DATABASE_URL.slice('sqlite:'.length)}${ending}`);
    expect([ending, mode & 0o777]).toEqual([ending, 0o600]);
  }
  expect(service.stdout().split('\n')[0]).toBe(`Listening on ${service.url}`);
  await expect.poll(service.stdout).toContain('curl -s');
  const [key = ''] = service.stdout().match(/sk_\w{32}/) ?? [];
  expect(service.stdout()).toContain(`${service.url}/dashboard/#key=${key}\n`);
  expect(service.stdout()).toMatch(
    /It expires on \d{4}-\d\d-\d\d\. To create a new one: npx state-service keys create/,
  );
  const line = service.stdout().match(/curl -s .*/)?.[0] ?? '';
  if (hasCommands('curl')) {
    const answer = JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' }));
    expect(answer).toMatchObject({ session_id: 'first-start', hsp_version: '1.0' });
  }
  const body = JSON.stringify({ session_id: 's1', timestamp: new Date().toISOString(), heart_rate: 88 });
  const post = async (url: string) => {
    const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
    return (await fetch(`${url}/v1/ingest`, { method: 'POST', headers, body })).json();
  };
  const answer = await post(service.url);
  const ended = await service.stop('SIGTERM');
  expect(ended.code).toBe(0);
  expect(ended.stderr).not.toContain(key);
  expect(ended.stderr).not.toContain('"msg":"SAFETY_TIMEOUT_MS');
  await expectSecondStart(DATABASE_URL, async (url) => expect(await post(url)).toEqual(answer));
});

/**
 * A second start keeps the data, the key and the deduplication of resends, and creates no other key. Its log has a warning
 * per misspelled variable, none for variables of other programs, and one for a limit that excludes another one.
 */
async function expectSecondStart(DATABASE_URL: string, expectResent: (url: string) => Promise<void>): Promise<void> {
  const others = { HOSTNAME: 'a', PORTS: '1', REDIS_HOST: 'b', OTEL_EXPORTER_OTLP_PROTOCOL: 'c' };
  const named = { LIMIT_SESSION_REQUEST_PER_MINUTE: '5', RETENTION_DAYS: '9', DATABASE_URI: 'x' };
  const safety = { SAFETY_URL: 'http://127.0.0.1:9', SAFETY_TIMEOUT_MS: '300' };
  const service = await startMain({ DATABASE_URL, ...others, ...named, ...safety });
  await expectResent(service.url);
  const { stdout, stderr } = await service.stop('SIGTERM');
  expect(stdout).toBe(
    `Listening on ${service.url}\nDashboard: ${service.url}/dashboard/\nDocumentation: ${service.url}/docs/\nTo create a key: npx state-service keys create --account NAME\n`,
  );
  const warnings = [...stderr.matchAll(/"msg":"(\w+) is not a variable of this service: (.+?)"/g)];
  expect(warnings.map(([, name, hint]) => [name, hint]).sort()).toEqual([
    ['DATABASE_URI', 'did you mean DATABASE_URL?'],
    ['LIMIT_SESSION_REQUEST_PER_MINUTE', 'did you mean LIMIT_SESSION_REQUESTS_PER_MINUTE?'],
    ['RETENTION_DAYS', 'see `npx state-service configuration`'],
  ]);
  expect(stderr).toContain('"msg":"SAFETY_TIMEOUT_MS');
}

test('an existing embedded database keeps its file permissions', async () => {
  const DATABASE_URL = await sqliteUrl();
  const file = DATABASE_URL.slice('sqlite:'.length);
  await writeFile(file, '');
  await chmod(file, 0o640);
  expect((await runHere(['migrate'], { DATABASE_URL })).code).toBe(0);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
});

test('--version prints the version', async () => {
  expect(await runMain(['--version'], {})).toMatchObject({ code: 0, stdout: `${manifest.version}\n` });
  // The command of a clone, which builds nothing because no source is newer than the build of the tests.
  const command = new URL('../../bin/state-service.mjs', import.meta.url).pathname;
  const ended = await runMain(['--version'], {}, command);
  expect(ended).toMatchObject({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test('an error of the core thread stops the start with one clear line', async () => {
  const ended = await runMain([], { DATABASE_URL: 'mysql://root@127.0.0.1:1/x' });
  expectOneLine(ended, 'DATABASE_URL: check the address of the server, and that it is running');
});

/** Runs a start that fails in this process, which requires that all of it runs in one thread. */
const failHere = (args: readonly string[], env: Record<string, string>) =>
  runHere(args, { PORT: '0', THREADS: '1', ...env });

test.each([
  [{ HOST: 'no.such.host.invalid' }, 'HOST and PORT: the host name is unknown'],
  [{ DATABASE_URL: 'sqlite:/dev/null/state.db' }, 'DATABASE_URL: '],
])('a setting that does not work stops the start with one clear line: %j', async (env, line) => {
  expectOneLine(await failHere([], { DATABASE_URL: await sqliteUrl(), ...(env as Record<string, string>) }), line);
});

test.each([
  [{ DATABASE_URL: 'postgres://localhost/x' }, 'DATABASE_URL must be sqlite:FILE or mysql://'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace'],
  [{ MAX_TIMESTAMP_AGE_SECONDS: '-1' }, 'MAX_TIMESTAMP_AGE_SECONDS must be a whole number'],
  [{ SECRETS_KEY: 'short' }, 'SECRETS_KEY must hold keys of at least 32 characters each'],
  [{ DATABASE_URL: 'mysql://root@127.0.0.1/x?ssl=1' }, 'DATABASE_URL has an unknown parameter'],
  [{ LIMIT_SESSION_REQUESTS_PER_MINUTE: '-1' }, 'LIMIT_SESSION_REQUESTS_PER_MINUTE must be a whole number'],
  [{ LIMIT_MONTHLY_CALLS: 'many' }, 'LIMIT_MONTHLY_CALLS must be a whole number'],
  [{ TRUST_PROXY: 'everybody' }, 'TRUST_PROXY must be a count of proxies'],
  [{ REDIS_URL: 'http://127.0.0.1:6379' }, 'REDIS_URL must be redis://'],
  [{ REDIS_URL: 'redis://127.0.0.1:6379?db=1' }, 'REDIS_URL must be redis://'],
  [{ REDIS_URL: 'redis://:%ff@127.0.0.1:6379' }, 'REDIS_URL must be redis://'],
  [{ PORT: '70000', LOG_LEVEL: '?' }, 'PORT must be a whole number from 0 to 65535, not "70000"; LOG_LEVEL must be'],
])('an invalid environment stops the start with one clear line: %j', async (env, line) => {
  expectOneLine(await runHere([], { DATABASE_URL: await sqliteUrl(), ...(env as Record<string, string>) }), line);
});

function expectOneLine(ended: Ended, line: string): void {
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr.trim().split('\n')).toHaveLength(1);
  expect(ended.stderr).toContain(`error: ${line}`);
}

/** Resolves with a port that another server uses until the test ends. */
async function takePort(): Promise<string> {
  return new URL(await listen(createServer())).port;
}

test.each([
  [[], 'METRICS_PORT', 'METRICS_PORT', {}, failHere],
  // Only a process shows that nothing of a failed start keeps it running.
  [['deliver'], 'METRICS_PORT', 'METRICS_PORT', {}, runMain],
  [['gateway'], 'GATEWAY_PORT', 'GATEWAY_HOST and GATEWAY_PORT', { GATEWAY_OPENAI_URL: 'http://127.0.0.1:9' }, runMain],
])('the error for a port in use names its variable: %j %s', async (args, name, what, env, run) => {
  const DATABASE_URL = await sqliteUrl();
  await runHere(['migrate'], { DATABASE_URL });
  const settings: Record<string, string> = { DATABASE_URL, ...env, [name]: await takePort() };
  const { code, stderr } = await run(args, settings);
  expect(code).toBe(1);
  expect(stderr).toContain(`error: ${what}: another process uses the port: set ${name} to another port`);
});

test('another openapi.yaml than the generated one stops the start with one clear line', async ({ folder: copy }) => {
  const root = new URL('../../', import.meta.url).pathname;
  const isRun = (file: string) => !/\.(map|txt)$/.test(file);
  await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true, filter: isRun });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await cp(join(root, 'package.json'), join(copy, 'package.json'));
  const text = await readFile(join(root, 'openapi.yaml'), 'utf8');
  await writeFile(join(copy, 'openapi.yaml'), text.replace('maximum: 220', 'maximum: 250'));
  const ended = await runMain([], { DATABASE_URL: `sqlite:${join(copy, 'state.db')}` }, join(copy, 'dist/main.js'));
  expectOneLine(ended, 'openapi.yaml: generated/ is from another openapi.yaml: run `npm run generate`');
});

test('a damaged key file stops the start', async () => {
  const DATABASE_URL = await sqliteUrl();
  await writeFile(`${DATABASE_URL.slice('sqlite:'.length)}.key`, '');
  const ended = await failHere([], { DATABASE_URL });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toMatch(/^error: SECRETS_KEY: .*state.db.key is damaged/);
});

test('SIGTERM to npm start ends the service', async () => {
  const npm = spawn('npm', ['start'], { env: { ...process.env, PORT: '0', DATABASE_URL: await sqliteUrl() } });
  onTestFinished(() => void npm.kill('SIGTERM'));
  let output = '';
  npm.stdout.on('data', (text) => (output += text));
  await expect.poll(() => output).toMatch(/Listening on \S+\n/);
  const url = /Listening on (\S+)/.exec(output)?.[1];
  npm.kill('SIGTERM');
  await once(npm, 'close');
  await expect
    .poll(() =>
      fetch(`${url}/healthz`).then(
        () => 'up',
        () => 'down',
      ),
    )
    .toBe('down');
});

test('--help lists the five main variables and the command that lists all', async () => {
  for (const args of [['--help'], ['serve', '--help'], ['deliver', '--help']]) {
    const { code, stdout } = await runHere(args, {});
    expect(code).toBe(0);
    expect(stdout).toContain('`npx state-service configuration` lists all');
    expect([...stdout.matchAll(/^ {2}([A-Z_]{4,}) /gm)].map(([, name]) => name)).toEqual([
      'HOST',
      'PORT',
      'DATABASE_URL',
      'SECRETS_KEY',
      'REDIS_URL',
    ]);
  }
  const { stdout } = await runHere(['configuration'], {});
  for (const { name } of listAllSettings()) expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
});

test('an older Node.js release gets one line, and the start parses on it', async () => {
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.4' } });";
  for (const file of ['dist/main.js', 'scripts/build/build.mjs']) {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(old)}`, file];
    const { code, stderr } = await startProgram({ args }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: state-service requires Node\.js 20\.19 or later; this is Node\.js 18\.20\.4\. .+\n$/,
    );
  }
  const start = await readFile(new URL('../../dist/main.js', import.meta.url), 'utf8');
  expect(start).not.toMatch(/^import |\?\.|\?\?|\bawait\b/m);
});

test.each([
  [['srve'], "error: unknown command 'srve', did you mean serve?"],
  [['key', 'list'], "error: unknown command 'key', did you mean keys?"],
  [['frobnicate'], "error: unknown command 'frobnicate': see --help"],
])('the unknown command %j is rejected', async (args, line) => {
  expect(await runHere(args, {})).toMatchObject({ code: 1, stdout: '', stderr: `${line}\n` });
});

const misspelled = { WEBHOOK_ALOW_HTTP: '1', RETENTION_READING_HOURS: '1' };
const warned = Object.keys(misspelled);
const namedIn = (stderr: string) =>
  [...stderr.matchAll(/(\w+) is not a variable of this service: did you mean/g)].map(([, name]) => name);

test.each([
  ['migrate'],
  ['keys', 'list', '--json'],
  ['doctor', '--json'],
  ['configuration'],
  ['purge', '--dry-run'],
  ['backup', 'nowhere/file'],
])('the command %s %s names misspelled variables on standard error', async (...args) => {
  const DATABASE_URL = await sqliteUrl();
  const { stderr } = await runHere(args, { DATABASE_URL, ...misspelled });
  expect(namedIn(stderr)).toEqual(warned);
});

test.each([
  ['an invalid variable', [], { PORT: 'eighty' }],
  ['a missing key', [], { DATABASE_URL: 'mysql://root@127.0.0.1:1/x', SECRETS_KEY: '' }],
  ['a missing database', ['deliver'], {}],
  ['a missing upstream', ['gateway'], {}],
] as const)('a start that fails because of %s names misspelled variables', async (_, args, env) => {
  const { code, stderr } = await failHere(args, { DATABASE_URL: await sqliteUrl(), ...misspelled, ...env });
  expect([code, namedIn(stderr)]).toEqual([1, warned]);
});

test('the log of a worker and of a gateway names misspelled variables', async () => {
  const DATABASE_URL = await sqliteUrl();
  await runHere(['migrate'], { DATABASE_URL });
  const settings = { GATEWAY_OPENAI_URL: 'http://127.0.0.1:9', GATEWAY_PORT: '0', SAFETY_TIMEOUT_MS: '300' };
  for (const [name, env] of [['deliver', { DATABASE_URL }] as const, ['gateway', settings] as const]) {
    const program = startCommand(name, [], { ...env, ...misspelled });
    await until('the warnings', () => namedIn(program.stderr()).length === warned.length);
    expect(namedIn(program.stderr())).toEqual(warned);
    const { stderr } = await program.stop();
    if (name === 'gateway') expect(stderr).toContain('"msg":"GATEWAY_STATE_TIMEOUT_MS');
  }
});

test.each([{ SAFETY_TIMEOUT_MS: '300' }, { GATEWAY_STATE_TIMEOUT_MS: '200' }, {}])(
  'the gateway warns of a limit that excludes another one: %j',
  (limits) => {
    const { warnings } = readGatewayConfig({ GATEWAY_OPENAI_URL: 'http://127.0.0.1:9', ...limits });
    const warning = expect.stringMatching(/^GATEWAY_STATE_TIMEOUT_MS \(\d+\) is not above SAFETY_TIMEOUT_MS /);
    expect(warnings).toEqual(Object.keys(limits).length > 0 ? [warning] : []);
  },
);
