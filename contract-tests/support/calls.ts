import { createKey } from '../../src/accounts/manage.js';
import type { Tier } from '../../src/contract.js';
import type { Answer, TestService } from './service.js';

/** A key of a new account of the tier, with the id of the account. */
export async function makeAccount(
  { store, clock }: Pick<TestService, 'store' | 'clock'>,
  account: string,
  tier: Tier,
): Promise<{ key: string; accountId: string }> {
  const { key } = await createKey(store.keys, { account, tier }, clock.nowMs);
  const accountId = (await store.keys.list(account))[0]?.accountId ?? '';
  return { key, accountId };
}

/** Makes so many calls, some at a time, each for a path that is not there; resolves with their answers. */
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

/** The calls of this month as the database has them. */
export async function callsInDatabase({ store, clock }: TestService, accountId: string): Promise<number | undefined> {
  const month = new Date(clock.nowMs).toISOString().slice(0, 7);
  return (await store.usage.totalsOf([{ accountId, month }]))[0];
}
