import type { Schema, Submission } from '../../src/contract/contract.js';
import { exportRows, fromNdjson } from '../../testkit/batch.js';
import { faultsAgainst } from '../../testkit/conformance.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

type Row = Schema<'ExportedReading'>;
const turn = { user_message: 'My exam is tomorrow and I cannot sleep.', ai_response: 'What worries you most?' };
const stressed = { heart_rate: 104, tone: 'hostile', expression: 'tense', sentiment: -1 } as const;

/** Returns the body of an export. */
const exportText = ({ get }: TestService, query = ''): Promise<string> => get(`/v1/export?${query}`);

test('a row contains every accepted and computed field of a reading, and no text', async ({ service }) => {
  const { clock } = service;
  await service.read({ session_id: 'a', subject_id: 'p', timestamp: clock.at(-10), heart_rate: 62 });
  const sent: Submission = {
    ...{ session_id: 'a', subject_id: 'p', timestamp: clock.at(-5), ...stressed, sdnn: 31.5, rmssd: 22 },
    ...({ urgency: 'high', activity_level: 'light' } as const),
    ...{ steps_last_minute: 12, respiratory_rate: 16.5, source_device: 'a, b' },
  };
  const answer = await service.read({ ...sent, ...turn });
  const [first, second] = await exportRows(service);
  expect(second?.reading).toEqual(sent);
  const {
    hsp_version,
    session_id,
    timestamp,
    disclaimer,
    baseline: _,
    text_analysis,
    state_since,
    ...computed
  } = answer;
  expect([hsp_version, session_id, timestamp, disclaimer, text_analysis, state_since]).not.toContain(undefined);
  // The confidence of a response falls with the age of its reading.
  const confidence = expect.any(Number);
  expect(second?.computed).toEqual({ ...computed, confidence, previous_state: first?.computed.state });
  expect(computed.topics_detected).toContain('exams');
  expect(JSON.stringify([first, second])).not.toMatch(/tomorrow|worries/);
  for (const row of [first, second]) expect(faultsAgainst('ExportedReading', row)).toBe('');
});

test('derived values are computed fields, and the reading contains what the sensor sent', async ({ service }) => {
  const rr_intervals_ms = Array.from({ length: 60 }, (_, index) => 800 + ((index * 37) % 50));
  expect(await service.read({ rr_intervals_ms, sdnn: 40 })).toMatchObject({ rr_quality: 'usable' });
  const [row] = await exportRows(service);
  expect(row?.reading).toEqual({ session_id: 's1', timestamp: service.clock.at(), rr_intervals_ms, sdnn: 40 });
  expect(row?.computed).toMatchObject({
    heart_rate: expect.any(Number),
    rmssd: expect.any(Number),
    rr_quality: 'usable',
  });
  expect(row?.computed).not.toHaveProperty('sdnn');
});

test('readings have a subject from the reading on that bound their session', async ({ service }) => {
  await service.read({ heart_rate: 70 });
  await service.read({ heart_rate: 71, subject_id: 'p' });
  await service.read({ heart_rate: 72 });
  const subjects = (await exportRows(service)).map(({ reading }) => reading.subject_id);
  expect(subjects).toEqual([undefined, 'p', 'p']);
});

test('exports select a session, a subject or the account, in the order of acceptance', async ({ service }) => {
  const { clock } = service;
  const accepted = [];
  for (let index = 0; index < 30; index += 1) {
    // Late readings keep the order of their acceptance.
    const reading = { session_id: `s${index % 3}`, timestamp: clock.at(-index), heart_rate: 60 + index };
    await service.read(index % 3 === 2 ? reading : { ...reading, subject_id: 'p' });
    accepted.push(reading.heart_rate);
    clock.advance(20);
  }
  const heartRates = async (query: string) =>
    (await exportRows(service, query)).map(({ reading }) => Number(reading.heart_rate));
  expect(await heartRates('')).toEqual(accepted);
  expect(await heartRates('session_id=s1')).toEqual(accepted.filter((it) => it % 3 === 1));
  expect(await heartRates('subject_id=p')).toEqual(accepted.filter((it) => it % 3 !== 2));
  expect(await exportText(service)).toBe(await exportText(service, 'format=ndjson'));
});

test('an export continues after the cursor of any row, and the last cursor returns later readings', async () => {
  const service = await startTestService();
  for (let index = 0; index < 5; index += 1)
    await service.read({ subject_id: 'p', timestamp: service.clock.at(index / 10), heart_rate: 70 });
  for (const scope of ['', '&session_id=s1', '&subject_id=p']) {
    const whole = await exportText(service, scope);
    const lines = whole.split('\n');
    for (const [index, { cursor }] of fromNdjson<Row>(whole).entries())
      expect(await exportText(service, `cursor=${cursor}${scope}`)).toBe(lines.slice(index + 1).join('\n'));
  }
  const last = (await exportRows(service)).at(-1)?.cursor;
  await service.read({ heart_rate: 99 });
  const later = await exportRows(service, `cursor=${last}`);
  expect(later.map(({ reading }) => reading.heart_rate)).toEqual([99]);
});

test('a cursor is the id of the stream event of the reading', async ({ service }) => {
  await service.read({ heart_rate: 70 });
  const [row] = await exportRows(service);
  await service.read({ heart_rate: 71 });
  const events = new AbortController();
  const headers = { 'X-Service-Key': service.key };
  const { body } = await fetch(`${service.url}/v1/stream?last_event_id=${row?.cursor}`, {
    headers,
    signal: events.signal,
  });
  let text = '';
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes('event: reading')) break;
  }
  events.abort();
  const [, id] = /id: (\d+)\nevent: reading/.exec(text) ?? [];
  expect((await exportRows(service, `cursor=${row?.cursor}`)).map(({ cursor }) => cursor)).toEqual([id]);
});

test('CSV has one row per reading, and a continued export has no header row', async ({ service }) => {
  await service.read({ rr_intervals_ms: [800, 810], source_device: 'strap "H10", left' });
  await service.read({ session_id: '=1+1', heart_rate: 70, source_device: '@cmd;=2' });
  await service.read({ session_id: 's2', heart_rate: 70, source_device: '5" band' });
  const text = await exportText(service, 'format=csv');
  const [header = '', first = '', second = '', third = '', end] = text.split('\r\n');
  expect(end).toBe('');
  const columns = header.split(',');
  expect(columns).toEqual(expect.arrayContaining(['session_id', 'heart_rate', 'derived_heart_rate', 'previous_score']));
  expect([new Set(columns).size, columns.at(-1)]).toEqual([columns.length, 'cursor']);
  expect(first).toContain(',800 810,');
  expect(first).toContain(',"strap ""H10"", left",');
  expect(second).toMatch(/^'=1\+1,/);
  // Unquoted, a spreadsheet that splits cells at semicolons would run `=2`.
  expect(second).toContain(`,"'@cmd;=2",`);
  expect(third).toContain(',"5"" band",');
  const cursor = first.split(',').at(-1);
  expect(await exportText(service, `format=csv&cursor=${cursor}`)).toBe(`${second}\r\n${third}\r\n`);
});

test('an account without readings exports nothing', async ({ service }) => {
  expect(await exportText(service)).toBe('');
});

test('HEAD returns the headers only', async ({ service }) => {
  const { status, headers, body } = await service.request('/v1/export?format=csv', { method: 'HEAD' });
  expect([status, headers.get('content-type'), body]).toEqual([200, 'text/csv; charset=utf-8; header=present', '']);
});
