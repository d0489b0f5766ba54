import { randomBytes, randomInt } from 'node:crypto';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { owe } from '../../../testkit/owed.js';
import { type Ended, startProgram } from '../../../testkit/program.js';
import { root } from '../../../testkit/service.js';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const inProject = (path: string) => fileURLToPath(new URL(path, root));
const commands = ['apt-get', 'haproxy', 'state-service', 'systemctl'];
/** Other machines use the client of this machine. */
const databaseCommands = ['galera_new_cluster', 'mariadb', 'mariadbd'];
const folders = ['bin', 'etc/haproxy', 'etc/mysql/mariadb.conf.d', 'home', 'run', 'var/backups', 'var/lib', 'var/log'];
/** Files that the page tells the operator to copy. */
const files = ['galera.cnf', 'haproxy.cfg'];
const goneMs = 10_000;

/** A machine of the page: a folder with its files, and an address on loopback. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  /** Runs commands as written on the page. Resolves when they have ended. */
  run(code: string): Promise<Ended>;
  /** Kills the processes of the machine with SIGKILL. Its files stay. */
  cutPower(): Promise<void>;
  /** Replaces the machine with a new one without data, at the same address. */
  replace(): Promise<void>;
}

export interface Machines {
  readonly of: (name: string) => Machine;
  /** Kills all processes and deletes all files. */
  remove(): Promise<void>;
}

/** Creates machines. Each has a name and the last number of its address on the page. */
export async function createMachines(numbers: Readonly<Record<string, number>>): Promise<Machines> {
  const folder = await mkdtemp(join(tmpdir(), 'runbook-'));
  // The user of MariaDB reads its folder below this one.
  await chmod(folder, 0o755);
  const subnet = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.`;
  const secret = randomBytes(32).toString('hex');
  const all = new Map<string, Machine>();
  const remove = owe(async () => {
    await Promise.all([...all.values()].map((machine) => machine.cutPower()));
    await rm(folder, { recursive: true, force: true });
  });
  for (const [name, number] of Object.entries(numbers)) {
    const machine = createMachine(name, join(folder, name), { subnet, number, secret });
    all.set(name, machine);
    await machine.replace();
  }
  return { of: (name) => all.get(name) ?? fail(name), remove };
}

function fail(name: string): never {
  throw new Error(`the page names a machine that it does not list: ${name}`);
}

interface Values {
  readonly subnet: string;
  readonly number: number;
  readonly secret: string;
}

function createMachine(name: string, folder: string, values: Values): Machine {
  const adapt = (text: string) => adaptTo(name, folder, values, text);
  const env = {
    MACHINE: folder,
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    NODE_BINARY: process.execPath,
    PROGRAM: inProject('dist/main.js'),
    SERVER_USER: userInfo().uid === 0 ? 'mysql' : userInfo().username,
  };
  const machine: Machine = {
    name,
    address: values.subnet + values.number,
    run: (code) =>
      startProgram({ node: 'bash', args: ['-euo', 'pipefail', '-c', adapt(code)], env, cwd: join(folder, 'home') })
        .ended,
    cutPower: () => killAll(join(folder, 'run')),
    async replace() {
      await machine.cutPower();
      await rm(folder, { recursive: true, force: true });
      for (const path of folders) await mkdir(join(folder, path), { recursive: true });
      const links = name.startsWith('db') ? [...commands, ...databaseCommands] : commands;
      for (const command of links) await symlink(here('machine.sh'), join(folder, 'bin', command));
      for (const file of files) {
        await cp(inProject(`examples/operations/${file}`), join(folder, 'home', file));
        await writeFile(join(folder, 'home', file), adapt(await readFile(join(folder, 'home', file), 'utf8')));
      }
    },
  };
  return machine;
}

/** Replaces the values that an operator replaces, the paths, and the sizes of a dedicated server. */
function adaptTo(name: string, folder: string, { subnet, number, secret }: Values, text: string): string {
  const values: ReadonlyArray<readonly [RegExp, string]> = [
    [/^NODE=db1 ADDRESS=\S+$/m, `NODE=${name} ADDRESS=${subnet}${number}`],
    [/^ADDRESS=\S+$/m, `ADDRESS=${subnet}${number}`],
    [/'10\.0\.0\.%'/g, "'127.%'"],
    [/\b10\.0\.0\./g, subnet],
    [/=SECRET$/m, `=${secret}`],
    [/(?<![\w/])\/(etc|var\/backups|var\/lib\/mysql)\b/g, `${folder}/$1`],
    [/gcache\.size=1G/, 'gcache.size=64M'],
    [/^innodb_buffer_pool_size = 2G$/m, 'innodb_buffer_pool_size = 64M'],
  ];
  return values.reduce((result, [pattern, value]) => result.replace(pattern, value), text);
}

/** Kills the process groups whose ids are in the folder, and waits for their ends. */
async function killAll(folder: string): Promise<void> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.pid'));
  const pids = await Promise.all(names.map(async (name) => Number(await readFile(join(folder, name), 'utf8'))));
  const running: number[] = [];
  for (const pid of pids) if (await isRunning(pid)) running.push(pid);
  // Together, so that no process outlives another one.
  for (const pid of running) process.kill(-pid, 'SIGKILL');
  const endsAtMs = Date.now() + goneMs;
  for (const pid of running)
    while (await isRunning(pid)) {
      if (Date.now() > endsAtMs) throw new Error(`process ${pid} did not end`);
      await sleep(20);
    }
}

/** A killed process stays a zombie where no init process collects it. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !stat.includes(') Z ');
}
