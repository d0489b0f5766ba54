import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { guideCode } from '../testkit/guide-code.js';
import { temporaryFolder } from '../testkit/temporary-folder.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const limitMs = 240_000;

test.each([
  ['score', [], 'relaxed 32'],
  ['text', [], 'undefined -'],
  ['recordings', ['sax', 'fast-sha256', 'fit-file-parser'], '00.000Z 72'],
])(
  'the packed %s has the version of the service, and its example compiles in strict mode and runs in an empty project',
  async (name, dependencies, printed) => {
    const folder = await temporaryFolder();
    const source = join(root, 'packages', name);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: source });
    const [{ filename, version, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
    expect(version).toBe(manifest.version);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'dist/LICENSE', 'dist/index.js']));
    expect(paths.filter((it) => /\.test\./.test(it))).toEqual([]);
    const installed = join(folder, 'node_modules', '@realtime-state', name);
    await mkdir(installed, { recursive: true });
    await run('tar', ['xzf', join(folder, filename), '--strip-components=1', '-C', installed]);
    for (const it of ['@types/node', ...dependencies]) {
      await mkdir(dirname(join(folder, 'node_modules', it)), { recursive: true });
      await symlink(join(root, 'node_modules', it), join(folder, 'node_modules', it));
    }
    const compilerOptions = { strict: true, target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'DOM'] };
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(folder, 'use.ts'), await guideCode(`packages/${name}/README.md`, `@realtime-state/${name}`));
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', folder]);
    const { stdout: output } = await run(process.execPath, ['use.js'], { cwd: folder });
    expect(output).toBe(await guideCode(`packages/${name}/README.md`, printed));
  },
  limitMs,
);
