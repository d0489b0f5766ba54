import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { openSocket } from '../../testkit/open-socket.js';
import { startMain } from '../../testkit/process.js';
import { root } from '../../testkit/service.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';

test('Ctrl-C under npm start closes the service and leaves the database in one file', async () => {
  const { url: DATABASE_URL } = await temporaryDatabase('sqlite');
  const file = DATABASE_URL.slice('sqlite:'.length);
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATABASE_URL, PORT: '0', WORKER: '1' };
  // Starts a separate process group, as a shell does for a command.
  const npm = spawn('npm', ['start', '--ignore-scripts'], { cwd: fileURLToPath(root), env, detached: true });
  const group = -(npm.pid ?? 0);
  onTestFinished(() => killGroup(group));
  let [stdout, stderr] = ['', ''];
  npm.stdout.on('data', (data) => (stdout += data));
  npm.stderr.on('data', (data) => (stderr += data));
  await expect.poll(() => stdout).toContain('Read on:');
  await access(`${file}-wal`);
  process.kill(group, 'SIGINT');
  // The output closes after every process of the group has ended.
  await once(npm.stdout, 'close');
  for (const ending of ['-wal', '-shm']) await expect(access(file + ending)).rejects.toThrow('ENOENT');
  expect(stderr).toContain('"msg":"stopped"');
});

test('SIGINT, which a terminal sends, skips SHUTDOWN_DELAY_SECONDS; a second signal within a second is ignored, and a later signal ends the process', async () => {
  const { url: DATABASE_URL } = await migratedDatabase();
  for (const [pauseMs, code] of [
    [100, 0],
    [1_200, 1],
  ] as const) {
    const service = await startMain({ DATABASE_URL, SHUTDOWN_DELAY_SECONDS: '300' });
    const socket = await openUnfinished(service.url);
    const ended = service.stop('SIGINT');
    await sleep(pauseMs);
    void service.stop('SIGINT');
    if (code === 0) socket.destroy();
    expect(await ended).toMatchObject({ code, stderr: expect.not.stringContaining('delay_s') });
    socket.destroy();
  }
});

/** Opens a request that stays in flight. The service waits for this request when it closes. */
async function openUnfinished(url: string) {
  const { socket } = openSocket(url);
  socket.write('POST /v1/ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{');
  await once(socket, 'data');
  return socket;
}

function killGroup(group: number): void {
  try {
    process.kill(group, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
