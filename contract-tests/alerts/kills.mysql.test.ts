import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { rowFormats } from '../../src/store/row-formats.js';
import { alertsOf, createRule, evaluateNow } from '../../testkit/alerts.js';
import { settingsFor } from '../../testkit/databases.js';
import { startScript } from '../../testkit/process.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

const people = 12_000;
const kills = 20;
const killedTogether = 2;

/** Stores people whose newest reading is two hours old. */
async function storePeople({ database, accountId, clock }: TestService): Promise<void> {
  const knex = openKnex(database.url);
  const body = rowFormats.subject.encode({ newest: { sessionId: 's', atMs: clock.nowMs - 2 * 3_600_000 } });
  const rows = Array.from({ length: people }, (_, index) => {
    return { account_id: accountId, subject_id: `p${index}`, version: '0'.repeat(12), body };
  });
  await knex.batchInsert('subjects', rows, 200);
  await knex.destroy();
}

test(`${kills} kills of processes that evaluate lose no firing and no event, and create no second one`, async () => {
  const service = await startTestService({});
  await storePeople(service);
  await createRule(service, { condition: 'no_data', hours: 1 });
  const alerts = alertsOf(service);
  const progress = [];
  for (let killed = 0; killed < kills; killed += killedTogether) {
    // Each of them takes the lease of the other.
    const programs = Array.from({ length: killedTogether }, () =>
      startScript('testkit/evaluate-alerts', [], settingsFor(service.database.url)),
    );
    await Promise.all(programs.map((it) => it.find(/^(Evaluating)$/m)));
    await sleep(50 + Math.random() * 100);
    for (const it of programs) it.signal('SIGKILL');
    await Promise.all(programs.map((it) => it.ended));
    progress.push((await alerts()).length);
  }
  service.clock.nowMs = Date.now() + 60_000;
  await evaluateNow(service);
  const all = await alerts();
  console.log(`alerts after each round of kills: ${progress.join(' ')}, at the end ${all.length}`);
  expect(new Set(all.map(({ subject_id }) => subject_id)).size).toBe(people);
  expect(all).toHaveLength(people);
  const knex = openKnex(service.database.url);
  const firings: string[] = await knex('alert_firings').pluck('subject_id');
  await knex.destroy();
  expect(firings.sort()).toEqual(all.map(({ subject_id }) => subject_id).sort());
});
