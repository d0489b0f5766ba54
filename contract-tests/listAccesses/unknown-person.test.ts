import type { OperationId } from '../../src/contract/contract.js';
import { findOperation } from '../../src/operations/index.js';
import { createAccessTable } from '../../src/store/accesses.js';
import { requestsById } from '../../testkit/documented-requests.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';
import { until } from '../../testkit/until.js';

const subject_id = 'zoe-5c02';

/** Requests of every operation that reads or exports data of a person whom the request names. */
const requests = requestsById().filter(
  ({ operationId, idName }) =>
    idName === 'subject_id' && ['reads', 'exports'].includes(findOperation(operationId as OperationId).personalData),
);

/** Sends every request about the person, and waits until the accesses are stored. */
async function readAbout(service: TestService): Promise<number[]> {
  const statuses: number[] = [];
  for (const { build } of requests) {
    const { path, init } = build(subject_id, {});
    const [route] = path.split('?');
    service.clock.advance(0.001);
    // The documented example of a cursor may not be valid.
    const { status } = await service.request(path.includes('?') ? `${route}?subject_id=${subject_id}` : path, init);
    statuses.push(status);
  }
  service.clock.advance(0.001);
  await service.read({ session_id: 'last', heart_rate: 70 });
  await service.request('/v1/state?session_id=last');
  // The record has the order of the requests.
  await until(
    'the last access is stored',
    async () => (await service.store.use(createAccessTable).newest(1))[0]?.operation === 'getState',
  );
  return statuses;
}

test('requests about a person who never existed store nothing about the person, whatever operation they call', async () => {
  const service = await startTestService({});
  expect(requests.length).toBeGreaterThan(7);
  expect((await readAbout(service)).filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
  expect(await everythingStored(service.database)).not.toContain(subject_id);
  expect((await service.store.use(createAccessTable).newest(10)).map(({ operation }) => operation)).toEqual([
    'getState',
  ]);
  expect((await service.request(`/v1/subjects/${subject_id}/accesses`)).status).toBe(404);
  expect((await service.request(`/v1/subjects/${subject_id}`, { method: 'DELETE' })).status).toBe(404);
});

test('after an erasure, requests about the person store neither the id nor a link', async ({ ownService: service }) => {
  await service.read({ session_id: 'talk', subject_id, heart_rate: 80 });
  expect((await service.request(`/v1/subjects/${subject_id}`, { method: 'DELETE' })).status).toBe(200);
  service.clock.advance(61);
  expect((await readAbout(service)).filter((status) => ![200, 403, 404].includes(status))).toEqual([]);
  expect(await everythingStored(service.database)).not.toContain(subject_id);
});

test('an access is recorded as soon as the person has data, also in the minute of an earlier request', async () => {
  const service = await startTestService({});
  await readAbout(service);
  await service.read({ session_id: 'talk', subject_id, heart_rate: 80 });
  await service.request(`/v1/sessions?subject_id=${subject_id}`);
  const list = async (): Promise<Array<{ operation: string }>> =>
    (await service.request(`/v1/subjects/${subject_id}/accesses`)).body.accesses;
  await until('the access is listed', async () => (await list()).some(({ operation }) => operation === 'listSessions'));
});
