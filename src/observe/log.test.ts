import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createLog, createLogOutput, logWarnings } from './log.js';

test('lines are written after a write that was slower than the timer', async () => {
  const written: string[] = [];
  const output = createLogOutput(
    async (text) => {
      await sleep(50);
      written.push(text);
    },
    (line) => line,
  );
  const long = 'a'.repeat(8_192);
  output.write(long);
  // Starts the timer while the first write is pending. The first write also takes this line.
  output.write('b');
  await sleep(400);
  output.write('c');
  await expect(output.close()).resolves.toBe(true);
  expect(written).toEqual([long, 'b', 'c']);
});

test('a line about a server that does not respond has the remedy, and other lines are unchanged', () => {
  const lines: unknown[] = [];
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) });
  for (const code of ['ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH', 'SQLITE_FULL', 'OTHER'])
    log.warn({ err: Object.assign(new Error('failed'), { code }) }, 'cleanup failed');
  log.info({ calls: 1 }, 'written');
  const remedy = 'check the address of the server, and that it is running';
  expect(lines).toMatchObject([
    ...[{ remedy }, { remedy }, { remedy }, { remedy: 'the disk of the database is full: free or add space' }],
    ...[{ err: { code: 'OTHER' } }, { calls: 1, msg: 'written' }],
  ]);
  for (const line of lines.slice(-2)) expect(line).not.toHaveProperty('remedy');
});

test('warnings of Node.js are lines of the log, deprecations only at level debug', async () => {
  const listeners = process.listeners('warning');
  onTestFinished(
    () => void listeners.reduce((it, listener) => it.on('warning', listener), process.removeAllListeners('warning')),
  );
  const lines: unknown[] = [];
  logWarnings(createLog('debug', { write: (line) => void lines.push(JSON.parse(line)) }));
  process.emitWarning('a leak');
  process.emitWarning('another way', 'DeprecationWarning', 'DEP0000');
  await expect
    .poll(() => lines)
    .toMatchObject([
      { level: 40, err: { message: 'a leak' } },
      { level: 20, err: { message: 'another way', code: 'DEP0000' } },
    ]);
});
