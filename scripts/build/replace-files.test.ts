import { cp, link, mkdir, open, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startProgram } from '../../testkit/program.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

type Files = ReadonlyMap<string, unknown>;
interface Build {
  readonly replaceFiles: (folder: string, files: Files) => Promise<void>;
  readonly deleteOthers: (folder: string, subfolder: string, files: Files) => Promise<void>;
}
const { replaceFiles, deleteOthers }: Build = await import(new URL('replace-files.mjs', import.meta.url).href);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Creates a folder with an earlier build, and a hard-linked copy of a file in it. */
async function makeEarlierBuild(): Promise<{ folder: string; copy: string }> {
  const folder = join(await temporaryFolder(), 'dist');
  await mkdir(folder);
  for (const name of ['main.js', 'program.js']) await writeFile(join(folder, name), 'earlier');
  const copy = join(folder, '..', 'copy.js');
  await link(join(folder, 'main.js'), copy);
  return { folder, copy };
}

test('a process that has a file open and a hard-linked copy keep the earlier content', async () => {
  const { folder, copy } = await makeEarlierBuild();
  const opened = await open(join(folder, 'main.js'));
  await replaceFiles(folder, new Map([['main.js', 'new']]));
  expect(await readFile(join(folder, 'main.js'), 'utf8')).toBe('new');
  expect(await opened.readFile('utf8')).toBe('earlier');
  expect(await readFile(copy, 'utf8')).toBe('earlier');
  await opened.close();
});

test('an interrupted build leaves the earlier files and nothing else', async () => {
  const { folder } = await makeEarlierBuild();
  const files = new Map<string, unknown>([
    ['chunks/a.js', 'new'],
    ['main.js', 'new'],
    ['program.js', undefined],
  ]);
  await expect(replaceFiles(folder, files)).rejects.toThrow(TypeError);
  expect((await readdir(folder)).sort()).toEqual(['main.js', 'program.js']);
  for (const name of ['main.js', 'program.js']) expect(await readFile(join(folder, name), 'utf8')).toBe('earlier');
});

test('an unchanged file stays, and only files of the named subfolder are deleted', async () => {
  const { folder } = await makeEarlierBuild();
  const files = new Map([
    ['main.js', 'earlier'],
    ['docs/a/index.html', 'new'],
  ]);
  const before = await stat(join(folder, 'main.js'));
  await replaceFiles(folder, new Map([...files, ['docs/b.html', 'new']]));
  expect((await stat(join(folder, 'main.js'))).ino).toBe(before.ino);
  await deleteOthers(folder, 'docs', files);
  const paths = await readdir(folder, { recursive: true });
  expect(paths.sort()).toEqual(['docs', 'docs/a', 'docs/a/index.html', 'main.js', 'program.js']);
});

test('a build that fails leaves the earlier program, and a complete one replaces it', async () => {
  const { folder, copy } = await makeEarlierBuild();
  const project = join(folder, '..');
  await cp(join(root, 'scripts/build'), join(project, 'scripts/build'), { recursive: true });
  const linked = ['src', 'generated', 'node_modules', 'package.json'];
  for (const name of linked) await symlink(join(root, name), join(project, name));
  const build = () => startProgram({ args: [join(project, 'scripts/build/build.mjs'), '--clean'] }).ended;
  // The program is found, the sites are not.
  expect((await build()).code).toBe(1);
  expect((await readdir(folder)).sort()).toEqual(['main.js', 'program.js']);
  expect(await readFile(join(folder, 'main.js'), 'utf8')).toBe('earlier');
  for (const name of ['packages', 'package-lock.json']) await symlink(join(root, name), join(project, name));
  expect(await build()).toMatchObject({ code: 0 });
  expect(await readFile(join(folder, 'main.js'), 'utf8')).toContain('program.js');
  expect(await readdir(folder)).toContain('sbom.cdx.json');
  expect(await readFile(copy, 'utf8')).toBe('earlier');
});
