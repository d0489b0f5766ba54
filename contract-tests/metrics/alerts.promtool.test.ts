import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../testkit/service.js';

test('every alert fires for its fault and is silent before it', async () => {
  const cwd = fileURLToPath(new URL('examples/operations/', root));
  const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', 'alerts.test.yaml'], { cwd });
  expect(stdout).toMatch(/SUCCESS\s*$/);
});
