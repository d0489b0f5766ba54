/**
 * `npm run release [TAG]`: checks that the checkout may be published, and prints the commands. Exits with 1 and names each
 * obstacle otherwise. The workflow `release.yml` runs it with the tag before it publishes.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
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
    ...(released.info.version === version && !isDeepStrictEqual(released, contract)
      ? [`openapi.yaml differs from the release ${version}: raise its version.`]
      : []),
    ...(read('README.md').includes('OWNER/') ? ['README.md names no repository: write the real address.'] : []),
    ...findMissingEntries(read('CHANGELOG.md'), version),
    ...['.', ...published.map((it) => `packages/${it}`)].flatMap((folder) =>
      findPlaceholder(`${folder}/package.json`, JSON.parse(read(`${folder}/package.json`))),
    ),
  ];
}

function findOtherVersions(root: URL, version: string): string[] {
  const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
  const folders = readdirSync(new URL('packages/', root)).map((it) => `packages/${it}`);
  const manifests = ['.', ...folders.filter((it) => it !== 'packages/client-python')].map((it) => `${it}/package.json`);
  const python = 'packages/client-python/pyproject.toml';
  const versions = [
    ...manifests.map((name) => [name, JSON.parse(read(name)).version]),
    [python, /^version = "(.*)"$/m.exec(read(python))?.[1]],
  ];
  return versions
    .filter(([, found]) => found !== version)
    .map(([name, found]) => `${name} has the version ${found}, openapi.yaml ${version}: make them equal.`);
}

/** Returns the obstacle of a changelog whose section of the version is missing, unreleased or empty. */
function findMissingEntries(changelog: string, version: string): string[] {
  const [, title = '', entries = ''] =
    new RegExp(`^## (${version.replaceAll('.', '\\.')}\\b.*)\\n([^]*?)(?=^## |$(?![^]))`, 'm').exec(changelog) ?? [];
  if (title === '' || !/^- /m.test(entries)) return [`CHANGELOG.md has no entry for ${version}: add the section.`];
  return /unreleased/i.test(title) ? [`CHANGELOG.md calls ${version} unreleased: write the date of the release.`] : [];
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
  const obstacles = findObstacles(new URL('../', import.meta.url), process.argv[2]);
  for (const it of obstacles) console.error(it);
  if (obstacles.length > 0) process.exitCode = 1;
  else
    console.log(
      'Ready. The workflow release.yml publishes the tag. By hand: npm publish, the same with --workspace ' +
        `packages/NAME for ${published.join(', ')}, and python -m build packages/client-python`,
    );
}
