import { readConfig } from '../../src/config/config.js';
import { purgeExpired } from '../../src/retention/purge.js';
import { createSessionReader } from '../../src/store/sessions.js';
import { createSubjectReader } from '../../src/store/subjects.js';
import { batchResults } from '../../testkit/batch.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { everythingStored } from '../../testkit/stored.js';
import { expect, test } from '../../testkit/test.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { connectAgent } from '../../testkit/mcp-tools.js';

const subject_id = 'anna-2f81';
const turn = { user_message: 'my exam is tomorrow and I cannot sleep', ai_response: 'What worries you most?' };
const live = { session_id: 'talk', subject_id, heart_rate: 95, ...turn };
const erasedSubject = { status: 409, title: 'Conflict', detail: 'Subject erased', code: 'subject_erased' };

function erase(service: TestService) {
  return service.request(`/v1/subjects/${subject_id}`, { method: 'DELETE' });
}

/** Starts a service whose person was erased, and returns the timestamp of the erasure. */
async function afterErasure(): Promise<{ service: TestService; erasedAt: string }> {
  const service = await startTestService();
  await service.read(live);
  expect((await erase(service)).status).toBe(200);
  const erasedAt = service.clock.at();
  service.clock.advance(2);
  return { service, erasedAt };
}

/** Fails unless nothing of the person is stored. */
async function expectGone({ store, accountId, request }: TestService): Promise<void> {
  const scope = store.read(accountId);
  expect(await createSubjectReader(scope).find(subject_id)).toBeUndefined();
  expect(await createSessionReader(scope).find('talk')).toBeUndefined();
  expect((await request(`/v1/subjects/${subject_id}`)).status).toBe(404);
}

test('a live turn up to the millisecond of the erasure is rejected, and a turn of the next one is stored', async () => {
  const { service, erasedAt } = await afterErasure();
  for (const timestamp of [new Date(Date.parse(erasedAt) - 1).toISOString(), erasedAt]) {
    expect(await service.ingest({ ...live, timestamp })).toMatchObject({ status: 409, body: erasedSubject });
    const [line, other] = await batchResults(service, [
      { ...live, timestamp },
      { session_id: 'other', timestamp, heart_rate: 70 },
    ]);
    expect([line, other]).toMatchObject([{ status: 409, error: erasedSubject }, { status: 200 }]);
  }
  await expectGone(service);
  const timestamp = new Date(Date.parse(erasedAt) + 1).toISOString();
  expect((await service.ingest({ ...live, timestamp })).status).toBe(200);
  // The person returned, and an earlier turn is still rejected.
  expect((await service.ingest({ ...live, timestamp: erasedAt })).body.code).toBe('subject_erased');
});

test('other readings from before the erasure start without earlier data', async () => {
  const { service, erasedAt: timestamp } = await afterErasure();
  const { user_message } = turn;
  for (const reading of [
    { subject_id, heart_rate: 80 },
    { subject_id, heart_rate: 81, user_message },
    { subject_id, heart_rate: 82, ...turn, backfill: true },
  ])
    expect((await service.ingest({ ...reading, timestamp })).status).toBe(200);
  expect((await service.ingest({ ...live, subject_id: 'bert', timestamp })).status).toBe(200);
});

test('a turn without a subject is rejected for the erased person of its session', async () => {
  const { service, erasedAt: timestamp } = await afterErasure();
  await service.read({ session_id: 'bound', subject_id, heart_rate: 70 });
  const token = await issueToken(service, { session_id: 'bound', subject_id });
  const { user_message, ai_response } = turn;
  const answer = await service.post(
    '/v1/ingest',
    { session_id: 'bound', timestamp, heart_rate: 71, user_message, ai_response },
    bearer(token),
  );
  expect(answer).toMatchObject({ status: 409, body: erasedSubject });
});

test('the tool ingest tells an agent to discard the turn of an erased person', async () => {
  const { service, erasedAt: timestamp } = await afterErasure();
  const client = await connectAgent(service);
  const { isError, content } = await client.callTool({ name: 'ingest', arguments: { ...live, timestamp } });
  expect(isError).toBe(true);
  expect(JSON.stringify(content)).toMatch(/subject_erased: Subject erased.*Discard the turn/);
  await expectGone(service);
});

test('a turn is rejected for as long as its timestamp could be accepted', async () => {
  const env = { MAX_TIMESTAMP_AGE_SECONDS: '86400', RETENTION_ERASURES_DAYS: '1' };
  const service = await startTestService({ env });
  await service.read(live);
  await erase(service);
  const timestamp = service.clock.at();
  service.clock.advance(86_400);
  await purgeExpired(service.store, service.clock.nowMs, readConfig({ ...env }).retention);
  expect((await service.ingest({ ...live, timestamp })).body.code).toBe('subject_erased');
  service.clock.advance(0.001);
  expect((await service.ingest({ ...live, timestamp })).body.code).toBe('timestamp_too_old');
});

test('turns and erasures in any order leave nothing of the person', async ({ ownService: service }) => {
  for (let round = 0; round < 15; round += 1) {
    const timestamp = service.clock.at();
    const send = (index: number) => service.ingest({ ...live, timestamp, heart_rate: 90 + index });
    const answers = await Promise.all([send(1), send(2), erase(service), send(3), send(4)]);
    // The erasure of a person who has no data yet is a 404, and is remembered as well.
    for (const { status } of answers) expect([200, 404, 409]).toContain(status);
    await expectGone(service);
    service.clock.advance(1);
  }
  expect(await everythingStored(service.database)).not.toContain(subject_id);
});
