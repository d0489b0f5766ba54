import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Submission } from '../../src/contract/contract.js';
import { someSensing, someValues } from '../../testkit/arbitraries.js';
import { setUp } from '../../testkit/consents.js';
import { openStream } from '../../testkit/event-source.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { bearer, issueToken } from '../../testkit/tokens.js';
import { until } from '../../testkit/until.js';

const subject_id = 'anna';
const chat = { session_id: 'chat' };
const seconds = fc.constantFrom(0, 0.001, 2, 2, 20, 60, 140, -5, -70);
/** Readings of a watch with a key and of a chat with a token, each some seconds after the one before. Negative: late. */
const arriving = fc.array(
  fc.oneof(
    fc.record({ seconds, watch: someSensing }),
    // Without movement, because movement decides which heart rates of the watch the baseline of the person learns from.
    fc.record({ seconds, chat: someValues }),
  ),
  { minLength: 6, maxLength: 24 },
);

/** Binds the session of a chat to a person. Returns requests with a token of the session that does not name the person. */
async function startChat(service: TestService) {
  await service.read({ ...chat, subject_id, tone: 'neutral' });
  const headers = bearer(
    await issueToken(service, { ...chat, scopes: ['ingest', 'read', 'feedback'], expires_in: 3600 }),
  );
  const send = async (path: string, body: object) => {
    const { status, body: answer } = await service.post(path, { ...chat, ...body }, headers);
    expect(status).toBe(200);
    return answer;
  };
  return { ...service, headers, send };
}

/** Returns all that the token reads. Events and rows are without their ids, which count the readings of the account. */
async function readAll({ url, request, key, headers }: Awaited<ReturnType<typeof startChat>>) {
  const exported = await (await fetch(`${url}/v1/export?session_id=chat`, { headers })).text();
  const rows = exported.split('\n').filter(Boolean);
  const stream = await openStream({ url, key }, { last_event_id: '0' }, headers);
  const listReadings = () => stream.events().filter(({ type }) => type === 'reading');
  await until('all readings arrive', async () => listReadings().length === rows.length);
  await stream.close();
  return {
    state: (await request('/v1/state?session_id=chat', { headers })).body,
    history: (await request('/v1/history?session_id=chat&minutes=60', { headers })).body,
    events: stream.events().map(({ type, data }) => ({ type, data })),
    rows: rows.map((line) => ({ ...JSON.parse(line), cursor: '' })),
  };
}

test('a token without the person sends and reads what it would if the person had no other session', async () => {
  const property = fc.asyncProperty(arriving, async (arrivals) => {
    const separate = await startChat(await setUp(await startTestService(), { share_signals: false }));
    const sharing = await startChat(await startTestService());
    const { clock } = sharing;
    for (const arrival of arrivals) {
      clock.advance(Math.max(0, arrival.seconds));
      const timestamp = clock.at(Math.min(0, arrival.seconds));
      if ('watch' in arrival) {
        const reading = { session_id: 'watch', subject_id, ...arrival.watch, timestamp } as Partial<Submission>;
        for (const { ingest } of [sharing, separate]) await ingest(reading);
        continue;
      }
      const [shown, expected] = [sharing, separate].map(({ send }) =>
        send('/v1/ingest', { ...arrival.chat, timestamp }),
      );
      expect(await shown).toEqual(await expected);
    }
    expect(await readAll(sharing)).toEqual(await readAll(separate));
  });
  await fc.assert(property, { numRuns: 10, endOnFailure: true });
});
