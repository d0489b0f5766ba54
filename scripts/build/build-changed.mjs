/** Builds what changed since its last build, so that a command starts immediately if nothing changed. */
import '../../src/cli/require-node.mjs';
import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const common = ['generated', 'packages', 'scripts/build', 'package.json', 'package-lock.json'];
const ignored = ['node_modules', 'tests', 'dist'];
/** What can be built: its script, and the files and folders that it reads. */
const targets = {
  program: { script: 'build.mjs', sources: [...common, 'src'] },
  documentation: {
    script: 'sites.mjs',
    sources: [...common, 'docs', 'examples', 'openapi.yaml', 'README.md', 'CHANGELOG.md'],
  },
};

/**
 * Builds the named targets, in order, if their sources are newer. Ends the process if a build fails. Builds nothing with
 * TEST_BUILT: `npm test` builds once, because its tests start the built program and write into the sources' folders.
 */
export function buildChanged(...names) {
  if (process.env['TEST_BUILT']) return;
  for (const name of names) {
    const { script, sources } = targets[name];
    const builtAtMs = statSync(stampOf(name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Math.max(...sources.map((it) => newest(`${root}${it}`))) < builtAtMs) continue;
    console.error(`Building the ${name} …`);
    const { status } = spawnSync(process.execPath, [`${root}scripts/build/${script}`], { stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(status ?? 1);
  }
}

/**
 * Records a complete build that began at this time, so that sources that changed meanwhile are newer. Without a time,
 * the target counts as not built.
 */
export function stampBuild(name, beganAt) {
  if (beganAt === undefined) return rmSync(stampOf(name), { force: true });
  // A new file, because a hard-linked copy keeps the times of its own build.
  const fresh = `${stampOf(name)}-${process.pid}`;
  writeFileSync(fresh, '');
  utimesSync(fresh, beganAt, beganAt);
  renameSync(fresh, stampOf(name));
}

function stampOf(name) {
  return `${root}dist/.${name}`;
}

/**
 * Returns the time of the newest change of a file, or below a folder, in ms. A deleted file changes its folder. The folder
 * of a package that was packed does not count, because `dist` also changes it.
 */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  const names = readdirSync(path);
  const own = names.includes('dist') ? 0 : stat.mtimeMs;
  return Math.max(own, ...names.filter((it) => !ignored.includes(it)).map((it) => newest(`${path}/${it}`)));
}
