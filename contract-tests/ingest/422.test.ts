import { enums } from '../../generated/spec.js';
import { expectNothingStored, sendRaw } from '../../testkit/raw.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

const notAnId = 'Input should be visible ASCII characters without spaces, and not . or ..';

type Rejected = [field: string, value: unknown, code: string, detail: string];

test.each<Rejected>([
  ['sentiment', '0.5', 'number_type', 'Input should be a valid number'],
  ['sentiment', 1.01, 'less_than_equal', 'Input should be less than or equal to 1'],
  ['heart_rate', 29.9, 'greater_than_equal', 'Input should be greater than or equal to 30'],
  ['heart_rate', true, 'number_type', 'Input should be a valid number'],
  ['expression', 'Smiling', 'enum', 'Input should be one of the allowed values'],
  ['session_id', '', 'string_too_short', 'Input should have at least 1 characters'],
  ['session_id', 'a b', 'pattern_mismatch', notAnId],
  ['session_id', 'a\0', 'pattern_mismatch', notAnId],
  ['session_id', '\ud800', 'pattern_mismatch', notAnId],
  ['session_id', 'x'.repeat(257), 'string_too_long', 'Input should have at most 256 characters'],
  ['subject_id', 'a\n', 'pattern_mismatch', notAnId],
  // URL parsers remove `.` and `..` from a path, so DELETE /v1/subjects/{subject_id} could not erase such a person.
  ['subject_id', '.', 'pattern_mismatch', notAnId],
  ['subject_id', '..', 'pattern_mismatch', notAnId],
  ['session_id', '..', 'pattern_mismatch', notAnId],
  ['source_device', 'é', 'pattern_mismatch', 'Input should be printable ASCII characters'],
  ['timestamp', 1_700_000_000, 'string_type', 'Input should be a valid string'],
])('%s %j is rejected with %s', async (field, value, code, detail) => {
  const service = await startTestService();
  const answer = await service.ingest({ heart_rate: 70, [field]: value });
  expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed', detail });
  expect(answer.body.errors).toEqual([expect.objectContaining({ code, detail, pointer: `/${field}` })]);
  if (field !== 'session_id') await expectNothingStored(service);
});

test.each([
  '2026-02-30T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-11-21T25:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-11-21T10:00:00+02:00',
  '2026-11-21T10:00:00-00:00',
  '2026-11-21T10:00:00',
  '2026-11-21 10:00:00Z',
  '2026-11-21t10:00:00z',
  '2026-11-21',
  '20261121T100000Z',
  'now',
])('the timestamp %s is rejected', async (timestamp) => {
  const { ingest } = await startTestService();
  const answer = await ingest({ heart_rate: 70, timestamp });
  expect(answer.status).toBe(422);
  // One error: a date-time in another notation is not also a wrong date.
  expect(answer.body.errors).toMatchObject([{ pointer: '/timestamp' }]);
});

test('the error for an unknown or misspelled field contains its name', async ({ service: { ingest } }) => {
  for (const field of ['bpm', 'a/b', '~', '', 'constructor', 'toString', '🙂']) {
    const answer = await ingest({ heart_rate: 70, [field]: 40 });
    const pointer = `/${field.replace('~', '~0').replace('/', '~1')}`;
    expect(answer.body.errors).toEqual([
      { detail: 'Extra inputs are not permitted', code: 'extra_forbidden', pointer },
    ]);
  }
});

test('the error for a misspelled field suggests the field', async ({ service: { ingest } }) => {
  const { body } = await ingest({ heartrate: 70, hrv_sdnn: 40 });
  expect(body.detail).toBe('Extra inputs are not permitted');
  expect(body.errors.map((it: { suggestion?: string }) => it.suggestion)).toEqual(['heart_rate', 'sdnn']);
});

test('__proto__ is rejected like any unknown field and pollutes no prototype', async ({ service }) => {
  const timestamp = service.clock.at();
  const body = `{"session_id":"s1","timestamp":"${timestamp}","heart_rate":70,"__proto__":{"isAdmin":true}}`;
  const answer = await sendRaw(service, { chunks: [body] });
  expect(answer.body).toMatchObject({ status: 422, errors: [{ code: 'extra_forbidden', pointer: '/__proto__' }] });
  expect(({} as Record<string, unknown>)['isAdmin']).toBeUndefined();
});

test('all validation errors are listed in one response', async ({ service: { ingest } }) => {
  const answer = await ingest({
    session_id: undefined,
    hrv_sdnn: 40,
    sentiment: 'negative',
    expression: 'angry',
    heart_rate: 500,
    user_message: 'a',
    ai_response: 'b',
  });
  const found = answer.body.errors.map((it: { pointer: string; code: string }) => [it.pointer, it.code]).sort();
  expect(found).toEqual([
    ['/expression', 'enum'],
    ['/heart_rate', 'less_than_equal'],
    ['/hrv_sdnn', 'extra_forbidden'],
    ['/sentiment', 'number_type'],
    ['/session_id', 'missing'],
    ['/subject_id', 'missing'],
  ]);
  expect(answer.body.detail).toBe(answer.body.errors[0].detail);
});

test('the error for an enumeration lists the allowed values', async ({ service: { ingest } }) => {
  expect((await ingest({ expression: 'angry' })).body.errors[0].allowed).toEqual(enums.Expression);
  expect((await ingest({ tone: 'angry' })).body.errors[0].allowed).toEqual(enums.Tone);
  expect(enums.Expression).toHaveLength(7);
});

test('a conversation turn requires subject_id in the body, also in a bound session', async () => {
  const { ingest, read, clock } = await startTestService();
  await read({ heart_rate: 70, subject_id: 'anna' });
  clock.advance(1);
  const answer = await ingest({ heart_rate: 70, user_message: 'a', ai_response: 'b' });
  expect(answer.body).toMatchObject({
    status: 422,
    detail: 'Field required',
    errors: [{ code: 'missing', pointer: '/subject_id' }],
  });
});

test.each([
  ['an array', '[]'],
  ['null', 'null'],
  ['a number', '7'],
  ['a string', '"{}"'],
  ['false', 'false'],
  ['an array as deep as the body allows', `${'['.repeat(1500)}${']'.repeat(1500)}`],
])('a JSON body that is %s instead of an object is rejected', async (_name, body) => {
  const service = await startTestService();
  const answer = await sendRaw(service, { chunks: [body] });
  expect(answer.body).toMatchObject({
    status: 422,
    detail: 'Input should be a valid object',
    errors: [{ code: 'object_type', pointer: '' }],
  });
});

test('a value with 1,500 nested levels is rejected as a wrong type', async ({ service }) => {
  const deep = `${'['.repeat(1500)}${']'.repeat(1500)}`;
  const body = `{"session_id":${deep},"timestamp":"${service.clock.at()}","heart_rate":70}`;
  expect((await sendRaw(service, { chunks: [body] })).body).toMatchObject({ errors: [{ pointer: '/session_id' }] });
});

test('the number 1e400 is rejected as not a number', async ({ service }) => {
  const body = `{"session_id":"s1","timestamp":"${service.clock.at()}","heart_rate":1e400}`;
  const answer = await sendRaw(service, { chunks: [body] });
  expect(answer.body).toMatchObject({ errors: [{ pointer: '/heart_rate', code: 'number_type' }] });
});

test('the last of duplicate keys wins and is validated', async ({ service }) => {
  const start = `{"session_id":"s1","timestamp":"${service.clock.at()}"`;
  const bad = await sendRaw(service, { chunks: [`${start},"heart_rate":70,"heart_rate":"x"}`] });
  expect(bad.status).toBe(422);
  const good = await sendRaw(service, { chunks: [`${start},"heart_rate":"x","heart_rate":70}`] });
  expect(good.status).toBe(200);
});
