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
type Change = (schemas: Contract, contract: Contract) => void;

const schemas = ({ components }: Contract) => components.schemas;
const ingest = ({ paths }: Contract) => paths['/v1/ingest'].post;
const history = ({ paths }: Contract) => paths['/v1/history'].get;

function changesOf(change: Change) {
  const after = structuredClone(contract) as Contract;
  change(schemas(after), after);
  return compareContracts(contract, after).map(({ verdict, at, message }) => ({
    ...{ verdict, message },
    at: at.replace('#/components/schemas/', '').replace('/properties/', '/'),
  }));
}

test('key order, descriptions and examples are not differences', () => {
  const isSameBut = (_: Contract, contract: Contract) => {
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

/** The place and a part of the message, with the change. */
const breaking: Readonly<Record<string, Change>> = {
  'StateReading/confidence: gone': (s) => delete s.StateReading.properties.confidence,
  'SignalSubmission/sdnn: gone': (s) => delete s.SignalSubmission.properties.sdnn,
  'StateReading/state: no longer required': (s) => s.StateReading.required.splice(3, 1),
  'HeartRate: minimum was 30, is 40': (s) => (s.HeartRate.minimum = 40),
  'UserMessage: maxLength was 4016, is 2000': (s) => (s.UserMessage.maxLength = 2000),
  'RetryRequest/webhook_id: minLength was 1, is 8': (s) => (s.RetryRequest.properties.webhook_id.minLength = 8),
  'StressScore: maximum was 100, is 200': (s) => (s.StressScore.maximum = 200),
  'SignalSubmission/device: required of requests': (s) => {
    s.SignalSubmission.properties.device = { type: 'string' };
    s.SignalSubmission.required.push('device');
  },
  // Earlier requests that contained neither or both of them were valid.
  'LinkRequest: x-one-of-fields': (s) => (s.LinkRequest['x-one-of-fields'] = ['grants', 'purpose']),
  'TokenRequest: x-one-of-fields': (s) => {
    s.TokenRequest.required = [];
    s.TokenRequest['x-one-of-fields'] = ['session_id', 'subject_id'];
  },
  'SignalSubmission/subject_id: now required': (s) => s.SignalSubmission.required.push('subject_id'),
  'GET /v1/history: operation is gone': (_, it) => delete it.paths['/v1/history'].get,
  'GET /webhooks: operation is gone': (_, it) => delete it.paths['/webhooks'],
  'Tone: "neutral"': (s) => s.Tone.enum.pop(),
  'State: gone': (s) => s.State.enum.pop(),
  'POST /v1/ingest 422: status is gone': (_, it) => delete ingest(it).responses['422'],
  'POST /v1/ingest 402: new': (_, it) => (ingest(it).responses['402'] = ingest(it).responses['400']),
  '#/components/responses/RateLimitExceeded header Retry-After: gone': (_, it) =>
    delete it.components.responses.RateLimitExceeded.headers['Retry-After'],
  '#/components/headers/RetryAfter: no longer required': (_, it) => (it.components.headers.RetryAfter.required = false),
  'History/minutes: type was "integer", is "number"': (s) => (s.History.properties.minutes.type = 'number'),
  'Instant: format': (s) => (s.Instant.format = 'date'),
  'Identifier: pattern': (s) => (s.Identifier.pattern = '^[a-z]*$'),
  'Health/status: no longer not nullable': (s) => (s.Health.properties.status.nullable = true),
  'TriggerEntry/sessions: gone': (s) => delete s.TriggerEntry.properties.sessions,
  'GET /v1/history query parameter until: gone': (_, it) => history(it).parameters.pop(),
  'GET /v1/history query parameter zone: required': (_, it) =>
    history(it).parameters.push({ name: 'zone', in: 'query', required: true, schema: { type: 'string' } }),
  '#/components/parameters/Minutes: default was 5, is 10': (_, it) =>
    (it.components.parameters.Minutes.schema.default = 10),
  'StateChange/previous_state: gone': (s) => delete s.StateChange.properties.previous_state,
  'POST /webhooks/register callback stateChange POST header parameter X-Service-Signature: gone': (_, it) =>
    it.paths['/webhooks/register'].post.callbacks.stateChange['{$request.body#/url}'].post.parameters.shift(),
  'GET /healthz: key is needed': (_, it) => delete it.paths['/healthz'].get.security,
  'x-body/max_bytes: was 4096, is 2048': (_, it) => (it['x-body'].max_bytes = 2048),
  'x-topics: own_business is gone': (_, it) => it['x-topics'].work.pop(),
  'x-bands: changed': (_, it) => (it['x-bands'][0].max_score = 24),
  'x-problems/missing_signals: was 400, is 422': (_, it) => (it['x-problems'].missing_signals.status = 422),
};

test.each(Object.entries(breaking))('a change is breaking: %s', (line, change) => {
  const [at = '', message = ''] = line.split(': ');
  const forbidden = changesOf(change).filter(({ verdict }) => verdict === 'breaking');
  expect(forbidden).toContainEqual({ verdict: 'breaking', at, message: expect.stringContaining(message) });
});

/** The place and a part of the message, with the change. */
const additions: Readonly<Record<string, Change>> = {
  'SignalSubmission/device: new optional field of requests': (s) =>
    (s.SignalSubmission.properties.device = { type: 'string' }),
  'StateReading/mood: new field of answers': (s) => {
    s.StateReading.properties.mood = { type: 'string' };
    s.StateReading.required.push('mood');
  },
  'TokenRequest/session_id: no longer required': (s) => {
    s.TokenRequest.properties.device_id = { type: 'string' };
    s.TokenRequest.required = [];
    s.TokenRequest['x-one-of-fields'] = ['session_id', 'device_id'];
  },
  'State: "asleep"': (s) => s.State.enum.push('asleep'),
  'Tone: whisp': (s) => s.Tone.enum.push('whispering'),
  'GET /v1/moods: new operation': (_, it) =>
    (it.paths['/v1/moods'] = { get: { ...history(it), operationId: 'listMoods' } }),
  'GET /v1/history query parameter zone: new parameter': (_, it) =>
    history(it).parameters.push({ name: 'zone', in: 'query', schema: { type: 'string' } }),
  'POST /v1/ingest 200 header Deprecation: new header': (_, it) =>
    (ingest(it).responses['200'].headers.Deprecation = { schema: { type: 'string' } }),
  'RetryRequest/webhook_id: maxLength was 36, is 64': (s) => (s.RetryRequest.properties.webhook_id.maxLength = 64),
  'StateChange/subject_id: new optional field': (s) => (s.StateChange.properties.subject_id = { type: 'string' }),
  'x-topics: new topic pension': (_, it) => it['x-topics'].work.push('pension'),
};

test.each(Object.entries(additions))('a change is allowed and listed as an addition: %s', (line, change) => {
  const [at = '', message = ''] = line.split(': ');
  const changes = changesOf(change);
  expect(changes.filter(({ verdict }) => verdict === 'breaking')).toEqual([]);
  expect(changes).toContainEqual({ verdict: 'addition', at, message: expect.stringContaining(message) });
});

test('a change of a shared component is reported once, with the affected operations', () => {
  const after = structuredClone(contract) as Contract;
  delete schemas(after).Problem.properties.request_id;
  const [change, ...others] = compareContracts(contract, after);
  expect(others).toEqual([]);
  expect(change?.operations).toContain('POST /v1/ingest');
  expect(change?.operations).toContain('GET /webhooks');
});

test('contract diff lists the changes since a file, and rejects breaking ones with --reject', async () => {
  const base = structuredClone(contract) as Contract;
  ingest(base).responses['418'] = ingest(base).responses['400'];
  const file = join(await temporaryFolder(), 'base.json');
  await writeFile(file, JSON.stringify(base));
  const rejected = await runScript('scripts/contract/diff', [file, '--reject']);
  expect(rejected).toMatchObject({ code: 1, stdout: expect.stringMatching(/^breaking .*\/v1\/ingest 418: .*gone/m) });
  expect(rejected.stdout).toContain('0 additions, 1 breaking changes');
});

test('the contract only adds to that of the last release', async () => {
  const released = parse(await readFile(new URL('diff/released.yaml', import.meta.url), 'utf8'));
  expect(compareContracts(released, contract).filter(({ verdict }) => verdict === 'breaking')).toEqual([]);
});
