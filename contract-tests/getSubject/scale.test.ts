import { expect, test } from 'vitest';
import { subjectProfile as settings } from '../../generated/spec.js';
import { insertRows } from '../../src/store/rows.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { openKnex } from '../../testkit/temporary-database.js';

/** Stores further sessions of the subject, one per second before `beforeMs`. */
async function addSessions({ database, accountId }: TestService, beforeMs: number, count: number): Promise<void> {
  const knex = openKnex(database.url);
  const rows = Array.from({ length: count }, (_, index) => ({
    account_id: accountId,
    session_id: `s-${index}`,
    incarnation: index.toString(16).padStart(12, '0'),
    version: 'v',
    subject_id: 'anna',
    touched_at_ms: beforeMs,
    started_at_ms: beforeMs - 1000 * (index + 1),
    body: '{}',
  }));
  for (let from = 0; from < count; from += 500) await insertRows(knex, 'sessions', rows.slice(from, from + 500));
}

test('at most 1,000 sessions are counted, and the times of the oldest and newest session are exact', async () => {
  const service = await startTestService();
  await service.read({ subject_id: 'anna', heart_rate: 70 });
  const count = 2 * settings.sessions_counted_max;
  await addSessions(service, service.clock.nowMs, count);
  expect((await service.request('/v1/subjects/anna')).body).toMatchObject({
    sessions: settings.sessions_counted_max,
    first_session_started_at: service.clock.at(-count),
    last_session_started_at: service.clock.at(),
  });
});
