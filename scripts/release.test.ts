import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { temporaryFolder } from '../testkit/temporary-folder.js';
import { findObstacles, findSlowdowns } from './release.js';

const { version } = manifest;
const root = new URL('../', import.meta.url);
const packages = manifest.workspaces.map((it) => `${it}/package.json`);
const released = 'scripts/contract/diff/released.yaml';
const files = [
  'package.json',
  ...packages,
  'packages/client-python/pyproject.toml',
  'openapi.yaml',
  'CHANGELOG.md',
  'README.md',
  'server.json',
  released,
  // Of a package that is no workspace: it has no manifest.
  'packages/ui/clock.ts',
];
const repository = ['OWNER/realtime', 'someone/realtime'] as const;

/** Returns a checkout that may be released. `edit` changes files of it before they are committed. */
async function checkOut(edit: (name: string, text: string) => string = (_, text) => text): Promise<URL> {
  const folder = pathToFileURL(`${await temporaryFolder()}/`);
  for (const name of files) {
    const file = new URL(name, folder);
    await mkdir(dirname(file.pathname), { recursive: true });
    await cp(new URL(name, root), file);
    const text = (await readFile(file, 'utf8')).replaceAll(...repository);
    const ready = name === 'CHANGELOG.md' ? text.replace(/^## .*/m, `## ${version} (2026-12-01)`) : text;
    await writeFile(file, edit(name, ready));
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  git('init', '--quiet');
  git('add', '--all');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'release');
  return folder;
}

test('a committed checkout with equal versions, an entry of the changelog and a real repository may be released', async () => {
  const folder = await checkOut();
  expect(findObstacles(folder, `v${version}`)).toEqual([]);
  expect(findObstacles(folder, 'v0.9.0')).toEqual([`The tag is v0.9.0: use v${version}, or change the version.`]);
  await writeFile(new URL('stray.txt', folder), '');
  expect(findObstacles(folder)).toEqual([expect.stringMatching('working tree has changes')]);
});

type Edit = readonly [what: string, file: string, from: string | RegExp, to: string, obstacle: string];
test.each<Edit>([
  [
    'a contract that changed without a version',
    released,
    /version: [\d.]+/,
    `version: ${version}`,
    'raise its version',
  ],
  [
    'a package of another version',
    'packages/score/package.json',
    version,
    '0.9.0',
    'score/package.json has the version 0.9',
  ],
  [
    'a Python client of another version',
    'packages/client-python/pyproject.toml',
    version,
    '0.9.0',
    'pyproject.toml has',
  ],
  [
    'an entry of the MCP registry of another version',
    'server.json',
    version,
    '0.9.0',
    'server.json has the version 0.9',
  ],
  [
    'an entry of the MCP registry of nobody',
    'server.json',
    'com/someone',
    'com/OWNER',
    'server.json names no repository',
  ],
  ['no section of the changelog', 'CHANGELOG.md', `## ${version}`, '## 0.9.0', `no entry for ${version}`],
  ['a section without an entry', 'CHANGELOG.md', /(^## .*\n)[^]*?(?=^## )/m, '$1\n', `no entry for ${version}`],
  ['an unreleased section', 'CHANGELOG.md', '2026-12-01', 'unreleased', 'write the date'],
  ['a placeholder as the repository', 'package.json', 'com/someone', 'com/OWNER', 'write the real address'],
  ['a package of another entry of the MCP registry', 'package.json', 'github.someone', 'github.other', 'mcpName'],
  ['a placeholder in the README', 'README.md', 'someone/', 'OWNER/', 'write the real address'],
  ['a placeholder in the contract', 'openapi.yaml', 'com/someone', 'com/OWNER', 'openapi.yaml names no repository'],
  ['a private package', 'packages/text/package.json', '{', '{ "private": true,', 'is private'],
])('the release of %s is refused', async (_, file, from, to, obstacle) => {
  const folder = await checkOut((name, text) => (name === file ? text.replace(from, to) : text));
  expect(findObstacles(folder)).toEqual([expect.stringContaining(obstacle)]);
});

test('a thread that costs more than in the last release is an obstacle, unless the changelog gives the reason', () => {
  const output = [
    '(d) this service ÷ before 1.07 (1.06–1.08) 1.00 (0.99–1.01)\n',
    'Slower on SQLite: the HTTP thread of (d) this service costs 1.07 × before',
    'Slower on MySQL: the core thread of (e) with conversation text costs 1.06 × before',
  ].join('\n');
  const changelog = (entry: string) => `## ${version} (2026-12-01)\n\n- ${entry}\n\n## 1.0.0\n\n- Other.\n`;
  const [http, core] = findSlowdowns(output, changelog('A field.'), version);
  expect(http).toMatch(/^Slower on SQLite: the HTTP thread .* × before: .* "CPU time of the HTTP thread"\.$/);
  expect(core).toMatch(/^Slower on MySQL: the core thread/);
  const named = changelog('A field. It adds 7 % to the CPU time of the HTTP thread.');
  expect(findSlowdowns(output, named, version)).toEqual([core]);
  expect(findSlowdowns('(d) this service ÷ before 1.07', changelog(''), version)).toEqual([]);
});

test('npm would publish the service and its packages, and corrects nothing', () => {
  const workspaces = ['client', 'score', 'text', 'recordings'].flatMap((it) => ['--workspace', `packages/${it}`]);
  const args = ['publish', '--dry-run', '--ignore-scripts', '--include-workspace-root', ...workspaces];
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  expect(stderr.match(/warn (?!publish This command requires you to be logged in).*/g)).toBe(null);
  expect(stdout.match(new RegExp(`^\\+ .*@${version}$`, 'gm'))).toHaveLength(5);
  expect(status).toBe(0);
}, 60_000);
