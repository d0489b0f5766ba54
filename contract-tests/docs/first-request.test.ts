import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { localServer } from '../../web/docs/samples.js';
import { guideCode } from '../support/guide-code.js';
import { root, startTestService } from '../support/service.js';

const run = promisify(execFile);

test.each(['README.md', 'docs/getting-started.md'])(
  'the first request of %s returns the response it shows',
  async (file) => {
    const text = await readFile(new URL(file, root), 'utf8');
    const [, command = '', shown = ''] =
      /```sh\n(curl [^`]*\/v1\/ingest[^`]*)```[^`]*```json\n([^`]*)```/.exec(text) ?? [];
    const { url, key } = await startTestService();
    const env = { PATH: process.env['PATH'], SERVICE_KEY: key };
    const { stdout } = await run('bash', ['-c', command.replace(localServer, url)], { env });
    const { timestamp: _, ...expected } = JSON.parse(shown);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  },
);

test('the tool call of the guide returns a state', async () => {
  const command = await guideCode('docs/getting-started.md', 'tools/call');
  const { url, key } = await startTestService();
  const env = { PATH: process.env['PATH'], SERVICE_URL: url, SERVICE_KEY: key };
  const { stdout } = await run('bash', ['-c', command], { env });
  expect(stdout).toContain('"structuredContent":{"recommendation":');
});
