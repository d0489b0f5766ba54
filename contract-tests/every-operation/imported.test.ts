import { expect, test } from 'vitest';
import { allow, setUp } from '../../testkit/consents.js';
import { buildRequest, importedRequests, operations } from '../../testkit/documented-requests.js';
import { pageEnv } from '../../testkit/person-link.js';
import { shareTestService } from '../../testkit/service.js';

const start = shareTestService({ env: pageEnv });
// A post requires a source key: contract-tests/submitSource.
const names = importedRequests({}).flatMap(({ operationId }) => (operationId === 'submitSource' ? [] : [operationId]));

test('an operation whose contract lacks the example of a parameter or body has no documented request', () => {
  const posts = operations.filter(
    ({ method, parameters }) => method !== 'GET' && parameters.some(({ required }) => required),
  );
  const [operation] = posts.filter(({ bodies }) => bodies.length > 0);
  if (!operation) throw new Error('no operation has a required parameter and a body');
  const parameters = operation.parameters.map((it) => ({ ...it, example: undefined }));
  const bodies = operation.bodies.map((it) => ({ ...it, examples: [] }));
  expect(() => buildRequest({ ...operation, parameters })).toThrow(/no example of source/);
  expect(() => buildRequest({ ...operation, bodies })).toThrow(/no example of the body/);
});

test.each(names)('%s accepts the examples of all its parameters together', async (name) => {
  const service = await setUp(await start(), { consent: 'record' });
  const subject_id = '5f2b51ca2b4d1a7e';
  await allow(service, subject_id, ['cardiovascular']);
  await service.read({ session_id: 'demo-session', subject_id, heart_rate: 95 });
  const changes = {
    timestamp: service.clock.at(),
    event_time: service.clock.at(),
    context: 'personal',
    start: service.clock.at(-60),
    end: service.clock.at(),
  };
  const imported = importedRequests(changes).find(({ operationId }) => operationId === name);
  const { path, init } = imported as NonNullable<typeof imported>;
  const headers = { 'X-Service-Key': service.key, ...(init.headers as Record<string, string>) };
  const closing = new AbortController();
  const answer = await fetch(service.url + path, { ...init, headers, signal: closing.signal });
  const problem = answer.ok ? '' : await answer.text();
  // A stream does not end.
  closing.abort();
  // No webhook, delivery, topic, fact, device, source key and link have the id of the example.
  const isAbsent =
    answer.status === 404 &&
    /"(webhook|delivery|topic|fact|device|source_key|link|alert_rule)_not_found"/.test(problem);
  expect([path, answer.ok || isAbsent, problem]).toEqual([path, true, isAbsent ? problem : '']);
});
