import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { runHere } from '../../../testkit/command-line.js';
import { guideCode } from '../../../testkit/guide-code.js';
import { listen } from '../../../testkit/listen.js';
import { realTime, startTestService, type TestService } from '../../../testkit/service.js';
import { startCommand } from '../../../testkit/process.js';

const fail = ({ url, key }: Pick<TestService, 'url' | 'key'>, session: string) =>
  runHere(['tools', 'listen', '--session', session, '--url', url], { SERVICE_KEY: key });

test('each state transition is verified and printed, and the webhook is removed at the end', async () => {
  const service = await startTestService({ clock: realTime(), env: { WORKER: '1' } });
  const args = ['--session', 'mine', '--url', service.url];
  const listening = startCommand('tools listen', args, { SERVICE_KEY: service.key });
  await listening.find(/Listening to session mine/);
  for (const session_id of ['other', 'mine']) {
    await service.read({ session_id, heart_rate: 60, tone: 'calm' });
    await service.read({ session_id, heart_rate: 130, tone: 'hostile' });
  }
  await listening.find(/verified/);
  expect((await service.request('/webhooks')).body.webhooks).toHaveLength(1);
  listening.signal('SIGINT');
  const { code, stdout, stderr } = await listening.ended;
  expect(stdout.match(/^\d\d:\d\d:\d\d\.\d{3} +\w+ → \w+ +█+░* +\d+ {2}verified$/gm)).toHaveLength(1);
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
});

test('the commands of the guide show a state change each time that they run, also right after each other', async () => {
  const service = await startTestService({ clock: realTime(), env: { WORKER: '1' } });
  const listening = startCommand('tools listen', ['--url', service.url], { SERVICE_KEY: service.key });
  await listening.find(/Listening to all sessions/);
  const loop = await guideCode('docs/getting-started.md', 'for tone in');
  const env = { PATH: process.env['PATH'], SERVICE_URL: service.url, SERVICE_KEY: service.key };
  for (let times = 0; times < 2; times += 1) {
    // The name of the session has the second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await promisify(execFile)('bash', ['-euc', loop], { env });
  }
  await listening.find(/verified[^]*verified/);
  listening.signal('SIGINT');
  const { stdout } = await listening.ended;
  expect(stdout.match(/relaxed → focused .* verified {2}changes-\d+$/gm)).toHaveLength(2);
});

test('a service that refuses loopback URLs is reported with the setting that allows them', async () => {
  const service = await startTestService({ env: { WEBHOOK_ALLOW_LOOPBACK: '0' } });
  const { code, stdout, stderr } = await fail(service, 's1');
  expect(stderr).toMatch(/^error: the service does not allow webhooks to this machine .* WEBHOOK_ALLOW_LOOPBACK=1\n$/);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
});

test('a wrong key, a missing key and an invalid session are each reported in one line with the remedy', async () => {
  const { url, key } = await startTestService();
  expect((await fail({ url, key: 'sk_wrong' }, 's1')).stderr).toMatch(/^error: .*401 Invalid API key.*--key/);
  expect((await fail({ url, key: '' }, 's1')).stderr).toMatch(/^error: no usable key: .*\n$/);
  expect((await fail({ url, key }, 'not one')).stderr).toMatch(/^error: the service responded with 422 session_id: /);
});

test('an unreachable service is reported with its address', async () => {
  const server = createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  const { code, stderr } = await fail({ url, key: 'sk_x' }, 's1');
  expect(stderr).toBe(`error: cannot reach the service at ${url} (ECONNREFUSED): start it, or set --url\n`);
  expect(code).toBe(1);
});
