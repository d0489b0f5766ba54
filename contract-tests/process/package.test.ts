import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The user nobody, where the tests run as root. */
const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const run = promisify(execFile);
test('an unprivileged user runs a read-only install: ingests, reads the documentation, evaluates and restores a backup', async () => {
  const folder = await packInto();
  await expectDemo(folder);
  await run('npm', ['install', '--no-audit', '--no-fund', '--cache', join(folder, 'cache'), await tarballIn(folder)], {
    cwd: folder,
    env: environment(folder),
    ...user,
  });
  expect(await bytesIn(join(folder, 'node_modules'))).toBeLessThan(33 * 1024 * 1024);
  await expectMissingBinaryNamed(folder);
  await run('chmod', ['-R', 'a-w', join(folder, 'node_modules')]);
  await expect(run('touch', [join(folder, 'node_modules/realtime-state-service/x')], user)).rejects.toThrow();

  const service = await start(folder, 'state.db');
  const key = /sk_\w{32}/.exec(service.output())?.[0] ?? '';
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ session_id: 's1', timestamp: new Date().toISOString(), heart_rate: 80 });
  expect((await fetch(`${service.url}/v1/ingest`, { method: 'POST', headers, body })).status).toBe(200);
  expect(await (await fetch(`${service.url}/docs/`)).text()).toContain('<html');
  expect((await fetch(`${service.url}/dashboard/`)).status).toBe(200);
  await command(folder, ['backup', 'copy.db'], 'state.db');
  await service.stop();

  const evaluated = await command(folder, ['tools', 'evaluate', '--file', await labeledRecording(folder)], 'unused.db');
  expect(evaluated).toMatch(/^stressor +20 /m);

  await command(folder, ['restore', 'copy.db'], 'restored.db');
  const restored = await start(folder, 'restored.db');
  expect((await fetch(`${restored.url}/v1/state?session_id=s1`, { headers })).status).toBe(200);
  await restored.stop();
}, 600_000);

/** One line with the packed file, in an empty folder, serves the demo on a database of its own. */
async function expectDemo(folder: string): Promise<void> {
  const empty = join(folder, 'empty');
  await mkdir(empty);
  if (user.uid !== undefined) await chown(empty, user.uid, user.gid);
  const line = ['--yes', '--cache', join(folder, 'cache'), join('..', await tarballIn(folder)), '--demo'];
  const demo = spawn('npx', line, {
    ...{ cwd: empty, env: { ...environment(folder, 'configured.db'), TMPDIR: folder }, ...user },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // npm passes this signal on, and cannot pass on SIGKILL.
  onTestFinished(() => void demo.kill('SIGTERM'));
  let output = '';
  for (const stream of [demo.stdout, demo.stderr]) stream.on('data', (text) => (output += text));
  await expect.poll(() => output).toMatch(/^ {2}demo-ada .*\bjob_loss\b/m);
  const dashboard = /^Dashboard: (\S+)$/m.exec(output)?.[1] ?? '';
  expect(await (await fetch(dashboard)).text()).toContain('<html');
  demo.kill('SIGTERM');
  // npm ends before the service, which then deletes its folder.
  await expect.poll(() => readdir(folder)).not.toContainEqual(expect.stringMatching(/^state-demo-|^configured/));
  expect(await readdir(empty)).toEqual([]);
}

/** Without the binary for a system, as on Alpine, the error names its package. */
async function expectMissingBinaryNamed(folder: string): Promise<void> {
  const [binaries, elsewhere] = [join(folder, 'node_modules/@libsql'), join(folder, 'elsewhere')];
  await rename(binaries, elsewhere);
  const missing = /SQLite requires the package (@libsql\/\S+) on this system: npm install --global \1@\d/;
  await expect(command(folder, ['migrate'], 'unused.db')).rejects.toThrow(missing);
  await rename(elsewhere, binaries);
}

/** Packs what the tests built into a new folder of the unprivileged user. */
async function packInto(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-package-'));
  onTestFinished(async () => {
    await run('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: Array<{ path: string }> }];
  const unwanted = /\.test\.|\.map$|^(contract-tests|lab|scripts|testkit)\//;
  expect(files.filter(({ path }) => unwanted.test(path))).toEqual([]);
  await mkdir(join(folder, 'cache'));
  for (const path of [folder, join(folder, 'cache')]) {
    await chmod(path, 0o700);
    if (user.uid !== undefined) await chown(path, user.uid, user.gid);
  }
  return folder;
}

async function tarballIn(folder: string): Promise<string> {
  return `./${(await readdir(folder)).find((name) => name.endsWith('.tgz'))}`;
}

function environment(folder: string, database = 'state.db') {
  // The certificates of the registry's proxy, if there is one.
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  const proxy = NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS };
  return { PATH, HOME: folder, PORT: '0', DATABASE_URL: `sqlite:${join(folder, database)}`, ...proxy };
}

async function command(folder: string, args: readonly string[], database: string): Promise<string> {
  const file = join(folder, 'node_modules/.bin/state-service');
  return (await run(file, [...args], { cwd: folder, env: environment(folder, database), ...user })).stdout;
}

async function start(folder: string, database: string) {
  const child = spawn(join(folder, 'node_modules/.bin/state-service'), [], {
    cwd: folder,
    env: environment(folder, database),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  await expect.poll(() => output).toMatch(/^Listening on \S+$[^]*\/docs\//m);
  return {
    url: /^Listening on (\S+)$/m.exec(output)?.[1] ?? '',
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      expect(await once(child, 'close')).toEqual([0, null]);
    },
  };
}

/** Writes ten minutes of rest and ten minutes of a task, as a recording of one person. */
async function labeledRecording(folder: string): Promise<string> {
  const file = join(folder, 'labeled.csv');
  const rows = Array.from({ length: 40 }, (_, at) => `${at * 30},${at < 20 ? 'rest,64' : 'stressor,96'}\n`);
  await writeFile(file, `time,label,heart_rate\n${rows.join('')}`);
  return file;
}

async function bytesIn(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', folder]);
  return Number.parseInt(stdout, 10) * 1024;
}
