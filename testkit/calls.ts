import type { Tier } from '../src/contract/contract.js';
import { createKey, type KeyOptions } from '../src/keys/manage.js';
import { createKeyTable } from '../src/store/keys.js';
import { createUsageTable } from '../src/store/usage.js';
import type { Answer, TestService } from './service.js';

/** Creates a key, and its account with this tier if it does not exist. Resolves with the key and the account's id. */
export async function makeAccount(
  { store, clock }: Pick<TestService, 'store' | 'clock'>,
  account: string,
  tier: Tier,
  options: KeyOptions = {},
): Promise<{ key: string; keyId: string; accountId: string }> {
  const { key, keyId } = await createKey(store.use(createKeyTable), { account, tier, ...options }, clock.nowMs);
  const accountId = (await store.use(createKeyTable).list(account))[0]?.accountId ?? '';
  return { key, keyId, accountId };
}

/** Makes `count` calls to an unknown path, several concurrently. Resolves with the responses. */
export async function call(
  request: TestService['request'],
  count: number,
  atOnce = 25,
): Promise<Array<Answer<{ code: string; violated_policies?: string[] }>>> {
  const answers = [];
  for (let made = 0; made < count; made += atOnce)
    answers.push(
      ...(await Promise.all(Array.from({ length: Math.min(atOnce, count - made) }, () => request('/v1/nothing')))),
    );
  return answers;
}

/** Returns the number of calls of this month that are stored in the database. */
export async function callsInDatabase({ store, clock }: TestService, accountId: string): Promise<number | undefined> {
  const month = new Date(clock.nowMs).toISOString().slice(0, 7);
  return (await store.use(createUsageTable).totalsOf([{ accountId, month }]))[0];
}
