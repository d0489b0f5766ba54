import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../testkit/service.js';

const run = promisify(execFile);

test('npm test with an argument prints its help and runs nothing', async () => {
  await expect(run('npm', ['test', '--silent', '--', 'src/http'], { cwd: root })).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^npm test runs all checks and tests[^]*TEST_MYSQL_URL/),
  });
});
