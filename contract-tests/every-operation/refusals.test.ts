import { expect, test } from '../../testkit/test.js';
/** Errors that all operations share: one test per status, with all operations that document it. */
import { authentication } from '../../generated/spec.js';
import type { ProblemCode } from '../../src/contract/contract.js';
import { allScopes } from '../../src/keys/scopes.js';
import { makeAccount } from '../../testkit/calls.js';
import { requestsById, requestsThatMayGet } from '../../testkit/documented-requests.js';
import { sendRaw } from '../../testkit/raw.js';
import { client, startTestService } from '../../testkit/service.js';

/** An operation with credentials and bodies of its own. Its tests are in contract-tests/submitSource. */
const isApart = ({ operationId }: { readonly operationId: string }) => operationId === 'submitSource';
/** Returns the operations that document the status, as rows for `test.each`. */
const mayGet = (status: number) =>
  requestsThatMayGet(status)
    .filter((it) => !isApart(it))
    .map((it) => [it.operationId, it] as const);
/** The operations with a JSON body. A batch reports errors of its body per line. */
const ofJsonThatMayGet = (status: number) => mayGet(status).filter(([operationId]) => operationId !== 'ingestBatch');

test.each(ofJsonThatMayGet(400))(
  '%s: rejects broken JSON, an empty body and invalid UTF-8 as invalid_payload',
  async (_, it) => {
    const service = await startTestService();
    for (const chunks of [['{"url":'], [], [Buffer.from([0x22, 0xc3, 0x28, 0x22])]]) {
      const { body } = await sendRaw(service, { method: it.init.method, path: it.path, chunks });
      expect(body).toMatchObject({ status: 400, detail: 'Invalid payload', code: 'invalid_payload' });
    }
  },
);

test('every operation rejects headers of more than 8 KB', async ({ service: { request } }) => {
  const operations = requestsThatMayGet(431);
  expect(operations).toEqual(requestsThatMayGet(422));
  for (const { path, init } of operations) {
    const { status, body } = await request(path, {
      ...init,
      headers: { ...init.headers, 'X-Long': 'x'.repeat(9_000) },
    });
    expect([path, status, body.code]).toEqual([path, 431, 'headers_too_large']);
  }
});

test.each(mayGet(401))('%s requires a key', async (_, { path, init }) => {
  const { request } = await startTestService();
  for (const [key, code] of [
    ['', 'missing_api_key'],
    [`sk_${'0'.repeat(32)}`, 'invalid_api_key'],
  ] as const) {
    const answer = await request(path, { ...init, headers: { ...init.headers, 'X-Service-Key': key } });
    expect(answer).toMatchObject({ status: 401, body: { code } });
    expect(answer.headers.get('WWW-Authenticate')).toBe(authentication.challenge);
  }
});

const byId = requestsById().map((it) => [it.title, it] as const);
/** Operations that require what the id names. Consent, facts and links are possible before the first reading of a person. */
const found = new Set(
  requestsThatMayGet(404)
    .map(({ operationId }) => operationId)
    .filter((operationId) => !['putConsent', 'putFact', 'createLink', 'listLinks'].includes(operationId)),
);
const absent: Readonly<Record<string, readonly [detail: string, code: ProblemCode]>> = {
  session_id: ['No data for this session', 'session_not_found'],
  subject_id: ['No data for this subject', 'subject_not_found'],
  getConsent: ['No consent is recorded for this subject', 'consent_not_found'],
  listConsentVersions: ['No consent is recorded for this subject', 'consent_not_found'],
  deleteTrigger: ['No such topic of this subject', 'topic_not_found'],
  deleteFact: ['No such fact of this subject', 'fact_not_found'],
  getDevice: ['No such device', 'device_not_found'],
  removeDevice: ['No such device', 'device_not_found'],
  removeSourceKey: ['No such source key', 'source_key_not_found'],
  removeLink: ['No such link', 'link_not_found'],
  removeAlertRule: ['No such alert rule', 'alert_rule_not_found'],
  id: ['No such webhook', 'webhook_not_found'],
  webhook_id: ['No such webhook', 'webhook_not_found'],
  delivery_id: ['No such delivery', 'delivery_not_found'],
};
const namesOne = byId.filter(([, { operationId, idName = '' }]) => found.has(operationId) && idName in absent);

test.each(namesOne)('%s: returns 404 for an unknown id', async (_, { operationId, idName = '', build }) => {
  const { request } = await startTestService();
  const { path, init } = build('never-seen', {});
  const [detail, code] = absent[operationId] ?? absent[idName] ?? [];
  expect((await request(path, init)).body).toMatchObject({ status: 404, detail, code });
});

const byPath = byId.filter(([title]) => title.endsWith(' in path'));

// An operation without a 404 creates what the id names.
test.each(byPath.filter(([, { operationId }]) => found.has(operationId)))(
  '%s: ids similar to an existing id and malformed ids are unknown',
  async (_, { operationId, idName = '', build }) => {
    const service = await startTestService();
    const url = 'https://8.8.8.8/';
    const { id } = (await service.post('/webhooks/register', { url, events: ['state_change'] })).body;
    for (const one of [id.toUpperCase(), 'dlv_2b7e9d4f6a1c4e3b8d05', "'--", '/', 'x'.repeat(256)]) {
      const { path, init } = build(one, {});
      expect((await service.request(path, init)).body).toMatchObject({
        status: 404,
        code: (absent[operationId] ?? absent[idName])?.[1],
      });
    }
  },
);

test.each(['rotate-secret', 'test'])('in /webhooks/register/%s, register is the id of a webhook', async (what) => {
  const { request } = await startTestService();
  const answer = await request(`/webhooks/register/${what}`, { method: 'POST' });
  expect(answer.body).toMatchObject({ status: 404, code: 'webhook_not_found' });
});

test.each(ofJsonThatMayGet(413))('%s: rejects any body of more than 4,096 bytes', async (_, it) => {
  const service = await startTestService();
  const ofBytes = (count: number) => ({
    method: it.init.method,
    path: it.path,
    chunks: [String(it.init.body).padEnd(count)],
  });
  const { body } = await sendRaw(service, ofBytes(4097));
  expect(body).toMatchObject({ status: 413, detail: 'Body too large', code: 'body_too_large' });
  expect((await sendRaw(service, ofBytes(4096))).status).not.toBe(413);
});

test.each(mayGet(415))('%s: rejects a body that is not declared as JSON or is compressed', async (_, it) => {
  const service = await startTestService();
  for (const headers of [
    { 'Content-Type': 'text/csv' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': 'br' },
  ]) {
    const { path, init } = it;
    const chunks = [String(init.body)];
    const { body } = await sendRaw(service, { method: init.method, path, headers: { ...headers }, chunks });
    expect(body).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  }
  expect((await service.request('/webhooks')).body.webhooks).toEqual([]);
});

test.each(mayGet(422))('%s: rejects a parameter that is not in the contract', async (_, { path, init }) => {
  const { request } = await startTestService();
  const { body } = await request(`${path}${path.includes('?') ? '&' : '?'}verbose=1`, init);
  expect(body).toMatchObject({ status: 422, errors: [{ parameter: 'verbose', code: 'extra_forbidden' }] });
});

test('every call that requires a key counts towards the monthly quota and is rejected when the quota is used up', async () => {
  const service = await startTestService({ env: { LIMIT_MONTHLY_CALLS: '1' } });
  for (const { operationId, path, init } of requestsThatMayGet(429).filter((it) => !isApart(it))) {
    const { key } = await makeAccount(service, operationId, 'free', { scopes: allScopes });
    const { request } = client(service.url, key, service.clock);
    expect((await request(path, init)).status, operationId).not.toBe(429);
    expect((await request(path, init)).body.violated_policies, operationId).toEqual(['month']);
  }
});
