/**
 * `npm run release -- --before FOLDER`: checks that the checkout may be published, and prints the commands. Exits with 1 and
 * names each obstacle otherwise. `FOLDER` is a built checkout of the last release, whose CPU time is the measure. The workflow
 * `release.yml` runs it with the tag before it publishes, without a measurement.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { parse } from 'yaml';

const published = ['client', 'score', 'text', 'recordings'];
const releasedFile = 'scripts/contract/diff/released.yaml';

/** Returns one sentence per obstacle, with its remedy. `root` is the folder of a checkout. */
export function findObstacles(root: URL, tag?: string): string[] {
  const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const [contract, released] = [parse(read('openapi.yaml')), parse(read(releasedFile))];
  const version: string = contract.info.version;
  const git = execFileSync('git', ['status', '--porcelain'], { cwd: fileURLToPath(root), encoding: 'utf8' });
  return [
    ...(git === '' ? [] : ['The working tree has changes: commit or remove them.']),
    ...(tag === undefined || tag === `v${version}`
      ? []
      : [`The tag is ${tag}: use v${version}, or change the version.`]),
    ...findOtherVersions(root, version),
    ...(JSON.parse(read('package.json')).mcpName === JSON.parse(read('server.json')).name
      ? []
      : ['The name in server.json is not mcpName of package.json: make them equal.']),
    ...(released.info.version === version && !isDeepStrictEqual(released, contract)
      ? [`openapi.yaml differs from the release ${version}: raise its version.`]
      : []),
    ...['README.md', 'openapi.yaml', 'server.json']
      .filter((name) => read(name).includes('OWNER/'))
      .map((name) => `${name} names no repository: write the real address.`),
    ...findMissingEntries(read('CHANGELOG.md'), version),
    ...['.', ...published.map((it) => `packages/${it}`)].flatMap((folder) =>
      findPlaceholder(`${folder}/package.json`, JSON.parse(read(`${folder}/package.json`))),
    ),
  ];
}

function findOtherVersions(root: URL, version: string): string[] {
  const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const workspaces: readonly string[] = JSON.parse(read('package.json')).workspaces;
  const manifests = ['.', ...workspaces].map((it) => `${it}/package.json`);
  const python = 'packages/client-python/pyproject.toml';
  // The entry of the MCP registry: its own version, and that of the package on npm.
  const entry = JSON.parse(read('server.json'));
  const versions = [
    ...[entry, ...entry.packages].map((it: { readonly version: string }) => ['server.json', it.version]),
    ...manifests.map((name) => [name, JSON.parse(read(name)).version]),
    [python, /^version = "(.*)"$/m.exec(read(python))?.[1]],
  ];
  return versions
    .filter(([, found]) => found !== version)
    .map(([name, found]) => `${name} has the version ${found}, openapi.yaml ${version}: make them equal.`);
}

/**
 * Returns the obstacles among the output of `lab -- bench cpu`: the threads that cost more than in the last release. The
 * changelog gives a reason for a thread by the words "CPU time of the HTTP thread" or "… of the core thread".
 */
export function findSlowdowns(output: string, changelog: string, version: string): string[] {
  const { entries } = readSection(changelog, version);
  return [...output.matchAll(/^Slower on .*?: the (\w+) thread .*/gm)].flatMap(([line, thread]) => {
    const reason = `CPU time of the ${thread} thread`;
    if (entries.includes(reason)) return [];
    return [`${line}: make it faster, or give the reason in CHANGELOG.md with the words "${reason}".`];
  });
}

/** Measures this checkout beside that of the last release. Returns the output. */
function measure(before: string): string {
  const args = ['--before', before, '--warm-up', String(warmUpSlices), '--ratio-max', String(ratioMax)];
  const { status, stdout } = spawnSync('npm', ['run', '--silent', 'lab', '--', 'bench', 'cpu', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0 && !/^Slower on /m.test(stdout)) throw new Error(`bench cpu failed: ${stdout}`);
  console.log(stdout);
  return stdout;
}

/** Of 300 requests each. The code is compiled after about 9,000. */
const warmUpSlices = 30;
const ratioMax = 1.05;

/** Returns the obstacle of a changelog whose section of the version is missing, unreleased or empty. */
function findMissingEntries(changelog: string, version: string): string[] {
  const { title, entries } = readSection(changelog, version);
  if (title === '' || !/^- /m.test(entries)) return [`CHANGELOG.md has no entry for ${version}: add the section.`];
  return /unreleased/i.test(title) ? [`CHANGELOG.md calls ${version} unreleased: write the date of the release.`] : [];
}

function readSection(changelog: string, version: string) {
  const [, title = '', entries = ''] =
    new RegExp(`^## (${version.replaceAll('.', '\\.')}\\b.*)\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(changelog) ?? [];
  return { title, entries };
}

interface Manifest {
  readonly private?: boolean;
  readonly repository?: { readonly url?: string };
}

function findPlaceholder(name: string, { private: isPrivate, repository }: Manifest): string[] {
  const url = repository?.url ?? '';
  const isReal = /^git\+https:\/\/[^/]+\/[^/]+\/[^/]+\.git$/.test(url) && !/OWNER|example/i.test(url);
  return [
    ...(isReal ? [] : [`${name} has the repository ${url || 'none'}: write the real address.`]),
    ...(isPrivate ? [`${name} is private: remove "private".`] : []),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const options = { before: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [tag] = positionals;
  const { before } = values;
  const root = new URL('../', import.meta.url);
  const obstacles = findObstacles(root, tag);
  if (before !== undefined) {
    const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
    const changelog = read('CHANGELOG.md');
    obstacles.push(...findSlowdowns(measure(before), changelog, parse(read('openapi.yaml')).info.version));
  } else if (tag === undefined)
    obstacles.push('CPU time is not measured: pass --before FOLDER, a built checkout of the last release.');
  for (const it of obstacles) console.error(it);
  if (obstacles.length > 0) process.exitCode = 1;
  else
    console.log(
      'Ready. The workflow release.yml publishes the tag. By hand: npm publish, the same with --workspace ' +
        `packages/NAME for ${published.join(', ')}, and python -m build packages/client-python`,
    );
}
