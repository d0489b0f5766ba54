import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogOutput } from './log.js';

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
