import { interruptBefore } from '../../testkit/interrupt.js';
import { runStatements } from '../../src/store/rows.js';
/** Withdrawals and readings whose transactions overlap. SQLite runs one write transaction at a time. */
import { createSessionWriter } from '../../src/store/sessions.js';
import { createSubjectReader, createSubjectWriter } from '../../src/store/subjects.js';
import { expect, test } from 'vitest';
import { watchLocks } from '../../testkit/blocked.js';
import { allow, commitReading, setUp } from '../../testkit/consents.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

const subject_id = 'anna';

/** Starts a service whose person allows heart data and voice, with one reading. */
async function begin(): Promise<TestService> {
  const service = await setUp(await startTestService({}), { consent: 'enforce' });
  await allow(service, subject_id, ['cardiovascular', 'vocal']);
  await service.read({ session_id: 'talk', subject_id, heart_rate: 70, tone: 'calm' });
  service.clock.advance(1);
  return service;
}

/** Starts a withdrawal of heart data. Resolves when it is recorded, which is before its request ends. */
async function withdraw(service: TestService): Promise<{ readonly done: Promise<unknown> }> {
  const done = allow(service, subject_id, ['vocal']);
  const subjects = createSubjectReader(service.store.read(service.accountId));
  await until(
    'the withdrawal is recorded',
    async () => (await subjects.findConsenting(subject_id))?.consent?.version === 2,
  );
  return { done };
}

test('a withdrawal that commits while a request waits for the lock of its session applies to the request', async () => {
  const service = await begin();
  const { store, accountId, clock, database } = service;
  const isBlocked = watchLocks(database);
  let sent: ReturnType<TestService['ingest']> | undefined;
  let withdrawal: Awaited<ReturnType<typeof withdraw>> | undefined;
  await store.transact(async (scopeOf) => {
    await createSessionWriter(scopeOf(accountId)).lock(['talk'], clock.nowMs);
    sent ??= service.ingest({ session_id: 'talk', subject_id, heart_rate: 143.8127, tone: 'hostile' });
    await isBlocked(sent);
    withdrawal ??= await withdraw(service);
  });
  expect((await sent)?.body).toMatchObject({ signals_dropped: ['heart_rate'] });
  await withdrawal?.done;
});

test('a withdrawal that commits between the locks of the session and of the person applies to the reading', async () => {
  const service = await begin();
  const { store } = service;
  let withdrawal: Awaited<ReturnType<typeof withdraw>> | undefined;
  const { transact } = interruptBefore(store, 'subjects', async () => {
    withdrawal ??= await withdraw(service);
  });
  // The reading does not name the person. A person that it names is locked together with the session.
  expect(await commitReading(service, undefined, transact)).toMatchObject({ dropped: ['heart_rate'] });
  await withdrawal?.done;
});

test('a decision waits for a reading in progress, and keeps what it learned about the person', async () => {
  const service = await begin();
  const { store, accountId, database } = service;
  const isBlocked = watchLocks(database);
  let decision: Promise<unknown> | undefined;
  await store.transact(async (scopeOf) => {
    const scope = scopeOf(accountId);
    const subjects = createSubjectWriter(scope);
    const subject = (await subjects.lock([subject_id])).get(subject_id);
    decision ??= allow(service, subject_id, ['cardiovascular', 'vocal', 'textual']);
    await isBlocked(decision);
    await runStatements(scope, subjects.toSave(new Map([[subject_id, { ...subject, active: ['exams'] }]])));
  });
  await decision;
  const stored = await createSubjectReader(store.read(accountId)).findConsenting(subject_id);
  expect(stored).toMatchObject({ active: ['exams'], consent: { version: 2 } });
  expect(stored?.baseline).toBeDefined();
});
