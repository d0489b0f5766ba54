import { readFileSync } from 'node:fs';
import { setImmediate as runOtherWork } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTexts } from '../../packages/text/texts.js';
import type { Grant } from '../contract/grant.js';
import { createIntake, type IntakeParts } from './intake.js';

const weights = readFileSync(new URL('../../packages/text/weights/text.bin', import.meta.url));
const caller = { accountId: 'acc_1' } as Grant;

/** Returns how often other work ran until a reading was admitted. */
async function countTurns(reading: object): Promise<number> {
  const parts: Partial<IntakeParts> = {
    texts: createTexts(weights),
    validate: () => Promise.resolve(),
    sessionRequests: () => Promise.resolve(undefined),
    load: { begin: () => () => undefined } as never,
    digestKeys: ['key'],
    now: Date.now,
    maxTimestampAgeMs: 60_000,
  };
  let isDone = false;
  const admitted = createIntake(parts as IntakeParts)({ caller } as never, {
    ...{ session_id: 's', subject_id: 'p', timestamp: new Date().toISOString(), heart_rate: 70 },
    ...reading,
  }).finally(() => (isDone = true));
  let turns = 0;
  for (; !isDone; turns += 1) await runOtherWork();
  expect((await admitted).reading).toMatchObject({ sessionId: 's' });
  return turns;
}

test('other requests run while the first text after a start builds the model, and a plain reading does not build it', async () => {
  expect(await countTurns({})).toBe(1);
  expect(await countTurns({ user_message: 'I have an exam tomorrow.', ai_response: 'Good luck.' })).toBeGreaterThan(3);
});
