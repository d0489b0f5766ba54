import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../testkit/temporary-folder.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const version7 = fileURLToPath(new URL('node_modules/ai7/dist/index.d.ts', import.meta.url));

// `npm run lint` compiles the middleware with the types of version 6.
test('the middleware compiles with the types of version 7 of the AI SDK', async () => {
  const folder = await temporaryFolder();
  const compilerOptions = {
    ...{ noEmit: true, paths: { ai: [version7] } },
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const files = [join(root, 'packages', 'client', 'src', 'ai-sdk.ts')];
  const project = { extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run(compiler, ['--project', folder, '--listFiles']).catch((error: { stdout: string }) => {
    throw new Error(error.stdout);
  });
  const loaded = stdout.split('\n').filter((file) => /node_modules\/ai\d?\/dist/.test(file));
  expect(loaded).toEqual([version7]);
}, 240_000);
