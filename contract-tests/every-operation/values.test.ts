/** Values of fields and parameters that the contract rejects. `refusals.test.ts` has the errors that all operations share. */
import { expect, test } from 'vitest';
import { type Definition, definitions, type Schema } from '../../src/contract/definitions.js';
import { requestsThatMayGet } from '../../testkit/documented-requests.js';
import { startTestService } from '../../testkit/service.js';

/** A value that a schema rejects: where it stands, and where the error is. Both are pointers, e.g. `/scopes/0`. */
type Wrong = readonly [at: string, value: unknown, code: string, errorAt: string];

/** By keyword: the code of the error, and a value that no schema with this keyword accepts. */
const wrongValues: Readonly<Record<string, readonly [code: string, value: (limit: number) => unknown]>> = {
  enum: ['enum', () => 'no such value'],
  format: ['date_time_invalid', () => '2026-02-30T10:00:00Z'],
  pattern: ['pattern_mismatch', () => 'é'],
  'x-pattern': ['pattern_mismatch', () => '2026-11-21T09:30:00+01:00'],
  minLength: ['string_too_short', (limit) => 'x'.repeat(limit - 1)],
  maxLength: ['string_too_long', (limit) => 'x'.repeat(limit + 1)],
  minimum: ['greater_than_equal', (limit) => limit - 1],
  maximum: ['less_than_equal', (limit) => limit + 1],
  minItems: ['too_few_items', () => []],
  maxItems: ['too_many_items', (limit) => Array.from({ length: limit + 1 }, (_, index) => `x${index}`)],
  uniqueItems: ['not_unique', () => ['x', 'x']],
};
/** A text of more than this number of characters does not fit into a body, and is a 413. */
const textMax = 2_000;

function listWrong(schema: Schema, at = ''): Wrong[] {
  const { type = '', properties = {}, items, required = [] } = schema;
  const own = Object.entries(wrongValues).flatMap(([keyword, [code, make]]): Wrong[] => {
    const limit = Number(schema[keyword]);
    const isSent = schema[keyword] !== undefined && !(keyword === 'minLength' && limit === 0) && !(limit > textMax);
    return isSent ? [[at, make(limit), code, at]] : [];
  });
  return [
    ...own,
    ...[type === 'string' ? 7 : 'x', null].map((value): Wrong => [at, value, `${type}_type`, at]),
    ...required.map((name): Wrong => [at, {}, 'missing', `${at}/${name}`]),
    ...(type === 'object' ? [[at, { other: 1 }, 'extra_forbidden', `${at}/other`] as const] : []),
    ...Object.entries(properties).flatMap(([name, it]) => listWrong(it, `${at}/${name}`)),
    ...(items ? listWrong(items, `${at}/0`) : []),
  ];
}

/** Returns the body with a value at a pointer. */
function place(body: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (name === '0') return [place(undefined, rest, value)];
  return { ...(body as object), [name]: place((body as Record<string, unknown> | undefined)?.[name], rest, value) };
}

/** Returns the texts of a parameter that the contract rejects. Each text is a whole query, or part of a path. */
function listWrongTexts({ name, in: where, schema }: Definition['parameters'][number]) {
  const ofText = listWrong(schema.items ?? schema).filter(
    ([, value]) => value !== null && (where === 'query' || value !== ''),
  );
  const texts = ofText.filter(([, value, code]) => typeof value !== 'number' || code !== 'string_type');
  const sent = texts.map(([, value, code]) => [encodeURIComponent(String(value)), code] as const);
  const repeated = where === 'query' && !schema.items ? ([[`x&${name}=x`, 'repeated']] as const) : [];
  return [...sent, ...repeated];
}

/** Posts of phones have bodies of other services. A batch reports the errors of its lines one by one. */
const bodies = requestsThatMayGet(422).flatMap((it) => {
  const { body } = definitions.find(({ operationId }) => operationId === it.operationId) ?? {};
  return body && !['ingestBatch', 'submitSource'].includes(it.operationId)
    ? [[it.operationId, it, body.schema] as const]
    : [];
});

test.each(bodies)('%s rejects a body with a value beyond each bound of the contract', async (_, it, schema) => {
  const { request } = await startTestService();
  const valid: unknown = JSON.parse(String(it.init.body));
  for (const [at, value, code, pointer] of listWrong(schema)) {
    const body = JSON.stringify(place(valid, at.split('/').slice(1), value));
    const answer = await request(it.path, { ...it.init, body });
    expect([at, answer.status]).toEqual([at, 422]);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
  }
});

/** A token in the query is a credential. */
const parameters = definitions
  .filter(({ operationId }) => operationId !== 'submitSource')
  .flatMap((it) =>
    it.parameters
      .filter(({ in: where, name }) => where !== 'header' && name !== 'access_token')
      .map((parameter) => [`${it.operationId}: ${parameter.name}`, it, parameter] as const),
  );

test.each(parameters)('%s rejects a value beyond each bound of the contract', async (_, it, parameter) => {
  const { request } = await startTestService();
  const { name, in: where } = parameter;
  const content = { headers: { 'Content-Type': it.body?.mediaType ?? '' }, body: '{}' };
  for (const [text, code] of listWrongTexts(parameter)) {
    const path = it.template.replaceAll(/\{(\w+)\}/g, (_, its) => (where === 'path' && its === name ? text : 'x'));
    const init = { method: it.method, ...(it.body && content) };
    const { status, body } = await request(where === 'path' ? path : `${path}?${name}=${text}`, init);
    expect([text, status]).toEqual([text, 422]);
    expect(body.errors).toContainEqual(expect.objectContaining({ parameter: name, code }));
  }
});

type Case = readonly [query: string, parameter: string, code: string];

const cursorOf = (text: string) => `cursor=${Buffer.from(text).toString('base64url')}`;

/** Rules of single operations, and notations. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  '/v1/export': [
    ['cursor=abc', 'cursor', 'pattern_mismatch'],
    ['cursor=-1', 'cursor', 'pattern_mismatch'],
    ['session_id=s1&subject_id=p', 'subject_id', 'exclusive'],
  ],
  '/v1/sessions': [
    ['cursor=made-up', 'cursor', 'cursor_invalid'],
    ['state=stressed,bored', 'state', 'enum'],
    ['state=', 'state', 'enum'],
    ['state=calm&state=bored', 'state', 'enum'],
    [`sort=score&${cursorOf('activity.1.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('score.1.-1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf("score.1.1.1.1.00000000000'")}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('score.99999999999999.1.1.1.000000000000')}`, 'cursor', 'cursor_invalid'],
    [`sort=score&${cursorOf('1795252324310.7c1e90ab34d2')}`, 'cursor', 'cursor_invalid'],
    [cursorOf('score.1.1.1.1.000000000000'), 'cursor', 'cursor_invalid'],
  ],
  '/webhooks/deliveries': [['cursor=made-up', 'cursor', 'cursor_invalid']],
  '/webhooks/retries': [
    ['cursor=made-up', 'cursor', 'cursor_invalid'],
    ['cursor=0', 'cursor', 'cursor_invalid'],
    ['cursor=null', 'cursor', 'cursor_invalid'],
    [cursorOf('e1.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [`sort=event_time&${cursorOf('1.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
    [cursorOf("1.dlv_' or 1=1 --"), 'cursor', 'cursor_invalid'],
    [cursorOf('-1.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [cursorOf('1e9.dlv_00000000000000000000'), 'cursor', 'cursor_invalid'],
    [cursorOf('1.wh_00000000000000000000'), 'cursor', 'cursor_invalid'],
    ['since=1795253400', 'since', 'pattern_mismatch'],
    ['since=2026-11-21T09:00:00', 'since', 'pattern_mismatch'],
  ],
  '/v1/subjects/p/summary': [
    ['interval=day&time_zone=Vienna', 'time_zone', 'time_zone_invalid'],
    ['time_zone=Europe/Vienna', 'time_zone', 'time_zone_of_hours'],
    ['from=2026-03-02T00:00:00Z&to=2026-03-02T00:00:00Z', 'from', 'range_empty'],
    ['cursor=MTc5', 'cursor', 'cursor_invalid'],
  ],
  '/v1/feedback': [['cursor=MTc5', 'cursor', 'cursor_invalid']],
  '/v1/triggers': [['', 'subject_id', 'missing']],
  '/v1/subjects/p/accesses': [
    ['cursor=x', 'cursor', 'cursor_invalid'],
    ['cursor=MTIz', 'cursor', 'cursor_invalid'],
    [cursorOf('1.zz.2'), 'cursor', 'cursor_invalid'],
  ],
  '/v1/state': [
    ['', 'session_id', 'missing'],
    ['session_id[]=a', 'session_id[]', 'extra_forbidden'],
    ['Session_Id=a', 'Session_Id', 'extra_forbidden'],
    ['session_id=a&__proto__=1', '__proto__', 'extra_forbidden'],
    ['session_id=a&__proto__=1&constructor=2', 'constructor', 'extra_forbidden'],
    ['session_id=a%00', 'session_id', 'pattern_mismatch'],
    ['session_id=a+b', 'session_id', 'pattern_mismatch'],
  ],
  '/v1/history': [
    ...['999999999999999999', '1e1', '0x10', '5.5', '%205', 'five', '+5', ''].map((minutes): Case => {
      return [`session_id=s1&minutes=${minutes}`, 'minutes', 'integer_type'];
    }),
  ],
};
const rows = Object.entries(cases).flatMap(([path, its]) => its.map((it) => [path, ...it] as const));

test.each(rows)('%s rejects the query "%s": %s, %s', async (path, query, parameter, code) => {
  const { read, request } = await startTestService();
  await read({ subject_id: 'p', heart_rate: 70 });
  const { body } = await request(`${path}?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});
