import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../testkit/service.js';

const run = promisify(execFile);

test('npm test with an argument prints its help and runs nothing', async () => {
  const { stdout } = await run('npm', ['test', '--silent', '--', '--help'], { cwd: root });
  expect(stdout).toMatch(/^npm test runs all checks and tests[^]*TEST_MYSQL_URL/);
  await expect(run('npm', ['test', '--silent', '--', 'src/http'], { cwd: root })).rejects.toMatchObject({
    code: 1,
    stdout,
  });
});
