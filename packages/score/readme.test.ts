import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { guideCode } from '../../testkit/guide-code.js';

test('the example of the README prints the states that the README shows', async () => {
  const contents = await guideCode('packages/score/README.md', 'advanceSession');
  const resolveDir = fileURLToPath(new URL('./', import.meta.url));
  const stdin = { contents, resolveDir, loader: 'ts' } as const;
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', platform: 'browser', write: false });
  const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`);
  const printed = log.mock.calls.map((it) => it.join(' '));
  log.mockRestore();
  expect(`${printed.join('\n')}\n`).toBe(await guideCode('packages/score/README.md', 'relaxed'));
});
