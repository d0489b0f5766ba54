import { expect, test } from 'vitest';
import type { Grant } from '../../src/contract/grant.js';
import type { Whose } from '../../src/contract/whose.js';
import { view } from '../../src/view/view.js';
import { grantOf } from '../../testkit/grants.js';
import { startTestService } from '../../testkit/service.js';

const session = (sessionId: string): Whose => ({ kind: 'session', sessionId });
const all = { after: 0, through: Number.MAX_SAFE_INTEGER, span: Number.MAX_SAFE_INTEGER };

/**
 * Anna has a chat, and a watch that raises the score of the chat. Ben has a session of his own. Returns the scores that a
 * credential gets in each way, and the code of an error.
 */
async function startWithTwo() {
  const { read, store, accountId, clock } = await startTestService();
  await read({ subject_id: 'anna', session_id: 'watch', heart_rate: 120, tone: 'hostile', sentiment: -1 });
  await read({ subject_id: 'anna', session_id: 'chat', urgency: 'low', timestamp: clock.at(1) });
  await read({ subject_id: 'ben', session_id: 'bens', heart_rate: 70 });
  return async (granted: Partial<Grant>, whose: Whose) => {
    const gate = view(store.read(accountId), grantOf(accountId, granted));
    const window = { afterMs: 0, nowMs: clock.nowMs + 60_000 };
    const ways = {
      state: async () => [(await gate.state(whose)).computed.score],
      history: async () => (await gate.history(whose, window)).map(({ score }) => score),
      events: async () => (await gate.events(whose, all, 10)).found.map(({ computed }) => computed.score),
      rows: async () => (await gate.rows(whose, all, 10)).found.map(({ score }) => score),
      beginRows: async () => [(await gate.beginRows(whose, 0)).after],
    };
    const read = async ([way, get]: [string, () => Promise<number[]>]) =>
      [way, await get().catch((error: { code?: string }) => error.code)] as const;
    return Object.fromEntries(await Promise.all(Object.entries(ways).map(read)));
  };
}

test('a session of somebody else looks absent in every way, also where only the gate checks it', async () => {
  const readAs = await startWithTwo();
  const absent = 'session_not_found';
  const nothing = { state: absent, history: absent, events: [], rows: [], beginRows: absent };
  expect(await readAs({ kind: 'oauth', subjectId: 'anna' }, session('bens'))).toEqual(nothing);
  expect((await readAs({ kind: 'oauth', subjectId: 'ben' }, session('bens'))).events).toHaveLength(1);
  expect((await readAs({}, { kind: 'account' })).rows).toHaveLength(3);
  const { events, rows } = await readAs({ kind: 'oauth', subjectId: 'anna' }, { kind: 'account' });
  expect([events, rows]).toEqual([expect.objectContaining({ length: 2 }), expect.objectContaining({ length: 2 })]);
});

test('a token without the person of its session gets the score of the session alone in every way', async () => {
  const readAs = await startWithTwo();
  const [ofKey, alone] = [
    await readAs({}, session('chat')),
    await readAs({ kind: 'session', sessionId: 'chat' }, session('chat')),
  ];
  for (const way of ['state', 'history', 'events', 'rows']) {
    const [shared, own] = [ofKey[way], alone[way]].map((scores) => Number((scores as number[])[0]));
    expect([way, shared]).toEqual([way, expect.toSatisfy((score: number) => score >= 60)]);
    expect([way, own]).toEqual([way, expect.toSatisfy((score: number) => score < 40)]);
  }
});
