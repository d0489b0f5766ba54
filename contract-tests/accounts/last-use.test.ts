import { createKeyTable } from '../../src/store/keys.js';
import type { TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const hourSeconds = 60 * 60;

async function lastUsed({ store, accountId }: TestService): Promise<number | null | undefined> {
  return (await store.use(createKeyTable).list()).find((it) => it.accountId === accountId)?.lastUsedAtMs;
}

test('the last use of a key is recorded, at most once per hour', async ({ ownService: service }) => {
  const { clock, request } = service;
  expect(await lastUsed(service)).toBeNull();
  const firstMs = clock.nowMs;
  await request('/v1/state?session_id=nobody');
  await expect.poll(() => lastUsed(service)).toBe(firstMs);
  clock.advance(hourSeconds + 1);
  // A key is cached for one second.
  await expect
    .poll(
      async () => {
        await request('/v1/state?session_id=nobody');
        return lastUsed(service);
      },
      { timeout: 10_000, interval: 200 },
    )
    .toBe(clock.nowMs);
});
