/**
 * Executes the steps of examples/operations/Containerfile in a chroot, and runs the image as compose.yaml states: an
 * unprivileged user without capabilities, a read-only file system, and a volume for data. Stops the service under load,
 * and checks that every acknowledged reading is stored. Requires root, debootstrap and a registry, but no engine.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { parse } from 'yaml';
import { type Scene, scenes, seededRandom } from '../../packages/tools/terminal/scenes.js';
import { launch } from '../../testkit/launch.js';
import { freePorts, type Program, startProgram } from '../../testkit/program.js';
import { atLeast, must, printVerdict, type Row } from '../../testkit/verdict.js';
import { ample } from '../bench/support/service.js';
import { buildImage, type Image } from './container/image.js';
import { startLoad, steady } from './shared/load.js';
import { countLost } from './shared/verdict.js';

const operations = fileURLToPath(new URL('../../examples/operations/', import.meta.url));
const readingsBefore = 200;
const senders = 8;
const [readyTries, readyPauseMs] = [600, 200];

await launch(
  new Command('check:container')
    .description('Builds the image in a chroot, runs it as compose.yaml states, and stops it under load.')
    .option(
      '--folder <folder>',
      'folder for the file systems, 2 GB. Debian in it is used again',
      '/tmp/state-container',
    )
    .option('--package <file>', 'a file of npm pack, instead of the stage that builds it')
    .action(check),
);

async function check({ folder, package: packed }: { folder: string; package?: string }): Promise<void> {
  const missing = ['debootstrap', 'unshare', 'setpriv'].filter((it) => spawnSync(it, ['--version']).error);
  if (process.getuid?.() !== 0 || missing.length > 0 || spawnSync('unshare', ['--mount', 'true']).status !== 0)
    return console.log(`Skipped: a chroot requires root, namespaces and ${missing.join(', ') || 'mounts'}.`);
  mkdirSync(folder, { recursive: true });
  const image = buildImage(join(operations, 'Containerfile'), folder, packed);
  const volume = join(folder, 'volume');
  rmSync(volume, { recursive: true, force: true });
  // A new volume is a copy of the folder in the image, with its owner.
  execFileSync('cp', ['-a', join(image.root, image.volume), volume]);
  printVerdict('container of examples/operations', [await serve(image, volume)], 'The container works as documented.');
}

async function serve(image: Image, volume: string): Promise<Row[]> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const env = { HOST: '127.0.0.1', PORT: String(port), ...ample };
  const start = (command: readonly string[] = image.command) =>
    startContainer(image, [...image.entrypoint, ...command], volume, env);
  const isHealthy = async () => (await startContainer(image, image.healthCheck, volume, env).ended).code === 0;
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;
  /** Waits longer than other checks: the machine may be busy. */
  const isReadyOrEnded = async (program: Program) => {
    for (let tries = 0; !(await isReady()); tries += 1) {
      if (!program.isRunning() || tries > readyTries)
        throw new Error(`the service does not start: ${program.stderr()}`);
      await sleep(readyPauseMs);
    }
  };
  const healthyBefore = await isHealthy();
  const first = start();
  await isReadyOrEnded(first);
  const status = readFileSync(`/proc/${innerPid(first)}/status`, 'utf8');
  const { stdout } = await start(['keys', 'create', '--account', 'lab', '--tier', 'solo']).ended;
  const key = /sk_\w{32}/.exec(stdout)?.[0] ?? '';
  const random = seededRandom(1);
  const lanes = Array.from({ length: senders }, (_, at) =>
    steady(`s${at}`, scenes[at % scenes.length] as Scene, random),
  );
  const load = startLoad({ urls: () => [url], key, senders: lanes, random });
  await load.acknowledges(readingsBefore);
  const healthyUnderLoad = await isHealthy();
  const rows = [
    must('the process has no privileges', /^Uid:\t1000\t1000/m.test(status) && /^NoNewPrivs:\t1$/m.test(status)),
    must('the process has no capabilities', /^CapBnd:\t0{16}$/m.test(status) && /^CapEff:\t0{16}$/m.test(status)),
    must('only the volume and /tmp are writable', await isReadOnly(image, volume)),
    must('the health check fails before the start and passes afterwards', !healthyBefore && healthyUnderLoad),
  ];
  const stoppedAtMs = Date.now();
  const { code } = await stop(first);
  const stopSeconds = (Date.now() - stoppedAtMs) / 1_000;
  const { acknowledged, sent, unanswered } = await load.stop();
  const second = start();
  await isReadyOrEnded(second);
  const lost = await countLost(url, key, sent);
  await stop(second);
  return [
    ...rows,
    must('the health check fails after the stop', !(await isHealthy())),
    { what: 'exit code after SIGTERM under load', found: code ?? 'killed', allowed: 0 },
    { what: 'seconds from SIGTERM to the end', found: stopSeconds, allowed: graceSeconds() },
    { what: 'readings acknowledged', found: acknowledged, allowed: atLeast(readingsBefore) },
    { what: '  lost after a start on the same volume', found: lost, allowed: 0 },
    { what: 'readings without a response', found: unanswered },
  ];
}

/** Settings of compose.yaml that an engine would apply. */
function composeSettings() {
  return parse(readFileSync(join(operations, 'compose.yaml'), 'utf8'))['x-state-service'] as {
    readonly read_only: boolean;
    readonly cap_drop: readonly string[];
    readonly security_opt: readonly string[];
    readonly tmpfs: readonly string[];
    readonly stop_grace_period: string;
  };
}

function graceSeconds(): number {
  return Number.parseInt(composeSettings().stop_grace_period, 10);
}

/** Starts a command as an engine does: with its own mounts and processes, in which it has the number 1. */
function startContainer(
  image: Image,
  command: readonly string[],
  volume: string,
  env: Record<string, string>,
): Program {
  const { root, user } = image;
  const { read_only, cap_drop, security_opt, tmpfs } = composeSettings();
  const mounts = [
    `mount --bind ${root} ${root}`,
    `mount -t proc proc ${root}/proc`,
    `mount --rbind /dev ${root}/dev`,
    ...tmpfs.filter((it) => it !== image.volume).map((it) => `mount -t tmpfs tmpfs ${root}${it}`),
    `mount --bind ${volume} ${root}${image.volume}`,
    ...(read_only ? [`mount -o remount,bind,ro ${root}`] : []),
  ];
  const limits = [
    ...[`--reuid=${user}`, `--regid=${user}`, '--clear-groups'],
    ...(cap_drop.includes('ALL') ? ['--bounding-set=-all', '--inh-caps=-all'] : []),
    ...(security_opt.includes('no-new-privileges:true') ? ['--no-new-privs'] : []),
  ];
  const settings = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...image.env, ...env });
  const inside = ['setpriv', ...limits, 'env', '-i', ...settings.map((it) => it.join('=')), ...command];
  const script = `${mounts.join(' && ')} && cd ${root}${image.volume} && exec chroot ${root} "$@"`;
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...inside];
  return startProgram({ node: 'unshare', args, logCharsMax: 10_000 });
}

/** Returns the process id of the command, the only child of `unshare`. */
function innerPid({ pid }: Program): number {
  return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'), 10);
}

async function stop(program: Program) {
  process.kill(innerPid(program), 'SIGTERM');
  const late = sleep(1_000 * graceSeconds(), undefined, { ref: false }).then(() => program.signal('SIGKILL'));
  return Promise.race([program.ended, late.then(() => program.ended)]);
}

async function isReadOnly(image: Image, volume: string): Promise<boolean> {
  const refused = ['/x', '/usr/local/x', `/home/${image.user}/x`].map((it) => `! touch ${it}`);
  const line = [`touch ${image.volume}/x /tmp/x`, `rm ${image.volume}/x`, ...refused].join(' && ');
  return (await startContainer(image, ['sh', '-c', line], volume, {}).ended).code === 0;
}
