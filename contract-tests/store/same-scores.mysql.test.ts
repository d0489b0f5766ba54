import { expect, test } from 'vitest';
import { enums } from '../../generated/spec.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import type { DatabaseKind } from '../../testkit/databases.js';
import { Clock, startTestService, type TestService } from '../../testkit/service.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

const seed = 20_260_105;
const readingsSent = 200;

/** One step of a history: advances the clock, then sends a body. */
interface Sent {
  readonly advanceSeconds: number;
  readonly ageSeconds: number;
  readonly body: Record<string, unknown>;
}

/** Three subjects and a session without a subject. Two subjects differ only in case. One subject has two sessions. */
const sessions = [
  { session_id: 'anna-1', subject_id: 'anna' },
  { session_id: 'anna-2', subject_id: 'anna' },
  { session_id: 'bert-1', subject_id: 'bert' },
  { session_id: 'Bert-1', subject_id: 'Bert' },
  { session_id: 'nobody' },
] as const;

function drawHistory(): Sent[] {
  const random = seededRandom(seed);
  const oneOf = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
  const maybe = (share: number, values: Record<string, unknown>) => (random() < share ? values : {});
  return Array.from({ length: readingsSent }, () => ({
    advanceSeconds: oneOf([0, 0, 0.001, 2, 2, 10, 60, 150]),
    ageSeconds: oneOf([0, 0, 0, 0, 2, 2, 30, 200]),
    body: {
      ...oneOf(sessions),
      heart_rate: 50 + 70 * random(),
      ...maybe(0.5, { sdnn: 5 + 120 * random() }),
      ...maybe(0.4, { tone: oneOf(enums.Tone) }),
      ...maybe(0.3, { expression: oneOf(enums.Expression) }),
      ...maybe(0.4, { sentiment: 2 * random() - 1 }),
    },
  }));
}

async function startOn(kind: DatabaseKind, startMs: number): Promise<TestService> {
  const clock = new Clock();
  clock.nowMs = startMs;
  const database = await temporaryDatabase(kind);
  return startTestService({ database, clock });
}

/**
 * Returns every response of the service: to each reading (including late and simultaneous ones), to a resend of every
 * tenth reading, and the state and history of each session.
 */
async function play({ clock, ingest, request }: TestService, history: readonly Sent[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  const keep = ({ status, body }: { status: number; body: unknown }) => answers.push(comparable(status, body));
  for (const [index, { advanceSeconds, ageSeconds, body }] of history.entries()) {
    clock.advance(advanceSeconds);
    const signals = { ...body, timestamp: clock.at(-ageSeconds) };
    keep(await ingest(signals));
    if (index % 10 === 0) keep(await ingest(signals));
  }
  for (const { session_id } of sessions) {
    keep(await request(`/v1/state?session_id=${session_id}`));
    keep(await request(`/v1/history?session_id=${session_id}&minutes=60`));
  }
  return answers;
}

/** Returns the comparable part of a response: everything except the request id. */
function comparable(status: number, body: unknown): unknown {
  const { request_id: _, ...rest } = body as { request_id?: string };
  return { status, ...rest };
}

test('identical histories get identical responses on SQLite and on MySQL', async () => {
  const startMs = Date.now();
  const history = drawHistory();
  const onSqlite = await play(await startOn('sqlite', startMs), history);
  const onMysql = await play(await startOn('mysql', startMs), history);
  expect(onMysql).toEqual(onSqlite);
  expect(new Set(onSqlite.map((answer) => (answer as { status: number }).status))).toEqual(new Set([200]));
});

test('concurrent readings get identical responses on SQLite and on MySQL', async () => {
  const startMs = Date.now();
  const [sqlite, mysql] = [await startOn('sqlite', startMs), await startOn('mysql', startMs)];
  // Uses one subject per reading, so that the order of arrival has no effect.
  const bodies = drawHistory().map(({ body }, index) => ({
    ...body,
    session_id: `s${index}`,
    subject_id: `p${index}`,
  }));
  const playAll = async ({ ingest }: TestService) =>
    (await Promise.all(bodies.map((body) => ingest(body)))).map(({ status, body }) => comparable(status, body));
  expect(await playAll(mysql)).toEqual(await playAll(sqlite));
});
