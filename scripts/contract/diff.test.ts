import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { compareContracts } from './diff/compare.js';
import { runScript } from '../../testkit/process.js';

/** A contract that tests may change freely. */
type Contract = ReturnType<JSON['parse']>;
type Case = readonly [name: string, change: (contract: Contract) => void, at: string, message: RegExp];

const schemas = ({ components }: Contract) => components.schemas;
const ingest = ({ paths }: Contract) => paths['/v1/ingest'].post;
const history = ({ paths }: Contract) => paths['/v1/history'].get;
const inSchemas = '#/components/schemas/';

function changesOf(change: (contract: Contract) => void) {
  const after = structuredClone(contract) as Contract;
  change(after);
  return compareContracts(contract, after).map(({ verdict, at, message }) => ({ verdict, at, message }));
}

test('key order, descriptions and examples are not differences', () => {
  const isSameBut = (contract: Contract) => {
    contract.info.version = '1.1.0';
    contract.components.schemas = Object.fromEntries(Object.entries(schemas(contract)).reverse());
    schemas(contract).SignalSubmission.description = 'Said otherwise.';
    schemas(contract).SignalSubmission.properties.heart_rate.example = 61;
    contract['x-bands'][0].recommendation = 'Go on.';
  };
  expect(changesOf(isSameBut)).toEqual([]);
});

test('a renamed component is not a difference', () => {
  const renamed = JSON.parse(JSON.stringify(contract).replaceAll('/SignalSubmission"', '/Reading"')) as Contract;
  const { SignalSubmission, ...others } = schemas(renamed);
  renamed.components.schemas = { ...others, Reading: SignalSubmission };
  expect(compareContracts(contract, renamed)).toEqual([]);
});

test.each<Case>([
  [
    'a removed field of a response',
    (it) => delete schemas(it).StateReading.properties.confidence,
    `${inSchemas}StateReading/properties/confidence`,
    /gone/,
  ],
  [
    'a removed field of a request',
    (it) => delete schemas(it).SignalSubmission.properties.sdnn,
    `${inSchemas}SignalSubmission/properties/sdnn`,
    /gone/,
  ],
  [
    'a response field that becomes optional',
    (it) => schemas(it).StateReading.required.splice(3, 1),
    `${inSchemas}StateReading/properties/state`,
    /no longer required/,
  ],
  [
    'a raised lower bound of a request',
    (it) => (schemas(it).HeartRate.minimum = 40),
    `${inSchemas}HeartRate`,
    /minimum was 30, is 40/,
  ],
  [
    'a lowered upper bound of a request',
    (it) => (schemas(it).SignalSubmission.properties.user_message.maxLength = 2000),
    `${inSchemas}SignalSubmission/properties/user_message`,
    /maxLength was 4016, is 2000/,
  ],
  [
    'a new bound of a request',
    (it) => (schemas(it).RetryRequest.properties.webhook_id.minLength = 8),
    `${inSchemas}RetryRequest/properties/webhook_id`,
    /minLength was 1, is 8/,
  ],
  [
    'a widened bound of a response',
    (it) => (schemas(it).StressScore.maximum = 200),
    `${inSchemas}StressScore`,
    /maximum was 100, is 200/,
  ],
  [
    'a new required field of a request',
    (it) => {
      schemas(it).SignalSubmission.properties.device = { type: 'string' };
      schemas(it).SignalSubmission.required.push('device');
    },
    `${inSchemas}SignalSubmission/properties/device`,
    /required of requests/,
  ],
  [
    'a field of a request that becomes required',
    (it) => schemas(it).SignalSubmission.required.push('subject_id'),
    `${inSchemas}SignalSubmission/properties/subject_id`,
    /now required/,
  ],
  ['a removed operation', (it) => delete it.paths['/v1/history'].get, 'GET /v1/history', /operation is gone/],
  ['a removed path', (it) => delete it.paths['/webhooks'], 'GET /webhooks', /operation is gone/],
  ['a removed enum value of a request', (it) => schemas(it).Tone.enum.pop(), `${inSchemas}Tone`, /"neutral".*gone/],
  ['a removed enum value of a response', (it) => schemas(it).State.enum.pop(), `${inSchemas}State`, /gone/],
  ['a removed status', (it) => delete ingest(it).responses['422'], 'POST /v1/ingest 422', /status is gone/],
  ['a new status', (it) => (ingest(it).responses['402'] = ingest(it).responses['400']), 'POST /v1/ingest 402', /new/],
  [
    'a removed header',
    (it) => delete it.components.responses.RateLimitExceeded.headers['Retry-After'],
    '#/components/responses/RateLimitExceeded header Retry-After',
    /gone/,
  ],
  [
    'a header that becomes optional',
    (it) => (it.components.headers.RetryAfter.required = false),
    '#/components/headers/RetryAfter',
    /no longer required/,
  ],
  [
    'a changed type',
    (it) => (schemas(it).History.properties.minutes.type = 'number'),
    `${inSchemas}History/properties/minutes`,
    /type was "integer", is "number"/,
  ],
  ['a changed format', (it) => (schemas(it).Instant.format = 'date'), `${inSchemas}Instant`, /format/],
  ['a changed pattern', (it) => (schemas(it).Identifier.pattern = '^[a-z]*$'), `${inSchemas}Identifier`, /pattern/],
  [
    'a response field that becomes nullable',
    (it) => (schemas(it).Health.properties.status.nullable = true),
    `${inSchemas}Health/properties/status`,
    /no longer not nullable/,
  ],
  [
    'a removed field of a map entry',
    (it) => delete schemas(it).TriggerEntry.properties.sessions,
    `${inSchemas}TriggerEntry/properties/sessions`,
    /gone/,
  ],
  ['a removed parameter', (it) => history(it).parameters.pop(), 'GET /v1/history query parameter until', /gone/],
  [
    'a new required parameter',
    (it) => history(it).parameters.push({ name: 'zone', in: 'query', required: true, schema: { type: 'string' } }),
    'GET /v1/history query parameter zone',
    /required/,
  ],
  [
    'a changed default',
    (it) => (it.components.parameters.Minutes.schema.default = 10),
    '#/components/parameters/Minutes',
    /default was 5, is 10/,
  ],
  [
    'a removed field of a webhook event',
    (it) => delete schemas(it).StateChange.properties.previous_state,
    `${inSchemas}StateChange/properties/previous_state`,
    /gone/,
  ],
  [
    'a removed header of a webhook delivery',
    (it) => it.paths['/webhooks/register'].post.callbacks.stateChange['{$request.body#/url}'].post.parameters.shift(),
    'POST /webhooks/register callback stateChange POST header parameter X-Service-Signature',
    /gone/,
  ],
  ['a probe that requires a key', (it) => delete it.paths['/healthz'].get.security, 'GET /healthz', /key is needed/],
  ['a lower body size limit', (it) => (it['x-body'].max_bytes = 2048), 'x-body/max_bytes', /was 4096, is 2048/],
  ['a removed topic', (it) => it['x-topics'].work.pop(), 'x-topics', /own_business is gone/],
  ['a moved band', (it) => (it['x-bands'][0].max_score = 24), 'x-bands', /changed/],
  [
    'a changed status of an error code',
    (it) => (it['x-problems'].missing_signals.status = 422),
    'x-problems/missing_signals',
    /was 400, is 422/,
  ],
])('the change "%s" is breaking', (_name, change, at, message) => {
  const forbidden = changesOf(change).filter(({ verdict }) => verdict === 'breaking');
  expect(forbidden).toContainEqual({ verdict: 'breaking', at, message: expect.stringMatching(message) });
});

test.each<Case>([
  [
    'a new optional field of a request',
    (it) => (schemas(it).SignalSubmission.properties.device = { type: 'string' }),
    `${inSchemas}SignalSubmission/properties/device`,
    /new optional field of requests/,
  ],
  [
    'a new field of a response',
    (it) => {
      schemas(it).StateReading.properties.mood = { type: 'string' };
      schemas(it).StateReading.required.push('mood');
    },
    `${inSchemas}StateReading/properties/mood`,
    /new field of answers/,
  ],
  ['a new enum value of a response', (it) => schemas(it).State.enum.push('asleep'), `${inSchemas}State`, /"asleep"/],
  ['a new enum value of a request', (it) => schemas(it).Tone.enum.push('whispering'), `${inSchemas}Tone`, /whisp/],
  [
    'a new endpoint',
    (it) => (it.paths['/v1/moods'] = { get: { ...history(it), operationId: 'listMoods' } }),
    'GET /v1/moods',
    /new operation/,
  ],
  [
    'a new optional parameter',
    (it) => history(it).parameters.push({ name: 'zone', in: 'query', schema: { type: 'string' } }),
    'GET /v1/history query parameter zone',
    /new parameter/,
  ],
  [
    'a new header',
    (it) => (ingest(it).responses['200'].headers.Deprecation = { schema: { type: 'string' } }),
    'POST /v1/ingest 200 header Deprecation',
    /new header/,
  ],
  [
    'a widened bound of a request',
    (it) => (schemas(it).RetryRequest.properties.webhook_id.maxLength = 64),
    `${inSchemas}RetryRequest/properties/webhook_id`,
    /maxLength was 36, is 64/,
  ],
  [
    'a new field of a webhook event',
    (it) => (schemas(it).StateChange.properties.subject_id = { type: 'string' }),
    `${inSchemas}StateChange/properties/subject_id`,
    /new optional field/,
  ],
  ['a new topic', (it) => it['x-topics'].work.push('pension'), 'x-topics', /new topic pension/],
])('the change "%s" is allowed and listed as an addition', (_name, change, at, message) => {
  const changes = changesOf(change);
  expect(changes.filter(({ verdict }) => verdict === 'breaking')).toEqual([]);
  expect(changes).toContainEqual({ verdict: 'addition', at, message: expect.stringMatching(message) });
});

test('a change of a shared component is reported once, with the affected operations', () => {
  const after = structuredClone(contract) as Contract;
  delete schemas(after).Problem.properties.request_id;
  const [change, ...others] = compareContracts(contract, after);
  expect(others).toEqual([]);
  expect(change?.operations).toContain('POST /v1/ingest');
  expect(change?.operations).toContain('GET /webhooks');
});

test('contract diff lists the changes since a file or the last release, and rejects breaking ones with --reject', async () => {
  const base = structuredClone(contract) as Contract;
  ingest(base).responses['418'] = ingest(base).responses['400'];
  const file = join(await temporaryFolder(), 'base.json');
  await writeFile(file, JSON.stringify(base));
  const rejected = await runScript('scripts/contract/diff', [file, '--reject']);
  expect(rejected).toMatchObject({ code: 1, stdout: expect.stringMatching(/^breaking .*\/v1\/ingest 418: .*gone/m) });
  expect(rejected.stdout).toContain('0 additions, 1 breaking changes');
  const released = await runScript('scripts/contract/diff', []);
  expect(released).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Since the last release: /m) });
});

test('the contract only adds to that of the last release', async () => {
  const released = parse(await readFile(new URL('diff/released.yaml', import.meta.url), 'utf8'));
  expect(compareContracts(released, contract).filter(({ verdict }) => verdict === 'breaking')).toEqual([]);
});
