import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../../../', import.meta.url));
const mirror = 'http://deb.debian.org/debian';

/** What a Containerfile states about its last stage, and the folder with the file system. */
export interface Image {
  readonly root: string;
  readonly user: string;
  readonly volume: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/**
 * Executes the steps of a Containerfile in folders below `folder`. Each `FROM` is Debian of debootstrap with Node and npm
 * from the registry, as in the official image of Node: a chroot needs no container engine. `packed`, a file of `npm pack`,
 * replaces the stage that builds it.
 */
export function buildImage(file: string, folder: string, packed?: string): Image {
  const text = readFileSync(file, 'utf8').replace(/^#.*\n/gm, '');
  const steps = text
    .replaceAll(/\\\n\s*/g, ' ')
    .trim()
    .split('\n');
  const stages = new Map<string, string>();
  if (packed !== undefined) {
    steps.splice(
      0,
      steps.findLastIndex((it) => it.startsWith('FROM ')),
    );
    stages.set('build', join(folder, 'packed'));
    rmSync(join(folder, 'packed'), { recursive: true, force: true });
    cpSync(packed, join(folder, 'packed/package', basename(packed)));
  }
  const last: Record<string, string> = {};
  const env: Record<string, string> = {};
  let [root, workdir] = ['', '/'];
  for (const [, name = '', rest = ''] of steps.map((step) => /^(\w+) (.+)$/.exec(step) ?? [])) {
    console.error(`${name} ${rest.slice(0, 100)}`);
    const [first = '', second = ''] = rest.split(' ').filter((it) => !it.startsWith('--'));
    if (name === 'FROM') {
      const [, stage = 'image'] = / AS (\w+)$/.exec(rest) ?? [];
      root = createBase(first, folder, stage);
      stages.set(stage, root);
      workdir = '/';
    } else if (name === 'WORKDIR') mkdirSync(join(root, (workdir = first)), { recursive: true });
    else if (name === 'COPY') copy(/--from=(\w+)/.exec(rest)?.[1], first, join(root, resolve(workdir, second)));
    else if (name === 'RUN') runIn(root, `cd ${workdir} && ${rest}`);
    else if (name === 'ENV') for (const it of rest.split(' ')) env[it.split('=')[0] ?? ''] = it.split('=')[1] ?? '';
    else last[name] = rest;
  }
  const words = (it = '[]'): string[] => JSON.parse(it.slice(it.indexOf('[')));
  const { USER: user = 'root', VOLUME: volume = '', ENTRYPOINT, CMD, HEALTHCHECK } = last;
  const commands = { entrypoint: words(ENTRYPOINT), command: words(CMD), healthCheck: words(HEALTHCHECK) };
  return { root, user, volume, env, ...commands };

  function copy(stage: string | undefined, from: string, to: string): void {
    if (stage !== undefined) return void execFileSync('sh', ['-c', `cp ${stages.get(stage)}${from} ${to}`]);
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: source, encoding: 'utf8' }).split('\0');
    for (const it of files.filter((path) => path !== '' && existsSync(source + path)))
      cpSync(source + it, join(to, it));
  }
}

function resolve(workdir: string, path: string): string {
  return path.startsWith('/') ? path : join(workdir, path);
}

/** Creates the file system of `node:MAJOR-SUITE-slim`. Debian is kept beside it for the next stage and the next run. */
function createBase(image: string, folder: string, stage: string): string {
  const [, major = '', suite = ''] = /node:(\d+)-(\w+)-slim$/.exec(image) ?? [];
  const [base, root, node] = [join(folder, suite), join(folder, stage), join(folder, `node${major}`)];
  if (!existsSync(join(base, 'etc/debian_version'))) run('debootstrap', '--variant=minbase', suite, base, mirror);
  if (!existsSync(node)) run('npm', 'install', '--silent', '--no-save', '--prefix', node, `node@${major}`, 'npm@11');
  rmSync(root, { recursive: true, force: true });
  run('cp', '-a', base, root);
  copyFileSync(join(node, 'node_modules/node/bin/node'), join(root, 'usr/local/bin/node'));
  chmodSync(join(root, 'usr/local/bin/node'), 0o755);
  cpSync(join(node, 'node_modules/npm'), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true });
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost database redis\n');
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const { NODE_EXTRA_CA_CERTS: certificates } = process.env;
  if (certificates) copyFileSync(certificates, join(root, 'etc/registry.crt'));
  runIn(root, 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && useradd --create-home node');
  return root;
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs a line of shell as root, with the mounts of a container. */
function runIn(root: string, line: string): void {
  const certificates = existsSync(join(root, 'etc/registry.crt')) ? ['NODE_EXTRA_CA_CERTS=/etc/registry.crt'] : [];
  const mounts = `mount -t proc proc ${root}/proc && mount --rbind /dev ${root}/dev`;
  const args = ['-i', 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', ...certificates];
  run('unshare', '--mount', 'sh', '-c', `${mounts} && exec chroot ${root} env "$@"`, 'sh', ...args, 'sh', '-ec', line);
}
