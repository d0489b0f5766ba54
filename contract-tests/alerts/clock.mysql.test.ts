import { expect, test } from 'vitest';
import { createRule, stress } from '../../testkit/alerts.js';
import { startTestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';
import { startWorkerOn } from '../../testkit/webhooks.js';

test('a process whose clock is a day ahead evaluates rules in the time of the database', async () => {
  const service = await startTestService({});
  const { clock } = service;
  await createRule(service, { condition: 'no_data', hours: 12 });
  clock.advance(-13 * 3_600);
  await stress(service, 'silent', 0);
  clock.nowMs = Date.now();
  await stress(service, 'present', 0);
  await startWorkerOn(service, [], 24 * 3_600_000);
  // The worker also expands the events, so they leave the outbox at once.
  const fired = () => service.store.run(async (knex): Promise<string[]> => knex('alert_firings').pluck('subject_id'));
  await until('the worker evaluates', async () => (await fired()).length > 0);
  expect(await fired()).toEqual(['silent']);
});
