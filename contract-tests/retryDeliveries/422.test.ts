import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `dlv_${index}`);

test.each([
  ['neither ids nor a webhook', {}, '', 'exclusive'],
  ['both ids and a webhook', { delivery_ids: ['dlv_1'], webhook_id: 'wh_1' }, '', 'exclusive'],
  ['since without a webhook', { since: '2026-11-21T09:00:00.000Z' }, '/webhook_id', 'missing'],
  ['since with ids', { delivery_ids: ['dlv_1'], since: '2026-11-21T09:00:00Z' }, '/webhook_id', 'missing'],
  ['no id', { delivery_ids: [] }, '/delivery_ids', 'too_few_items'],
  ['101 ids', { delivery_ids: ids(101) }, '/delivery_ids', 'too_many_items'],
  ['a duplicate id', { delivery_ids: ['dlv_1', 'dlv_2', 'dlv_1'] }, '/delivery_ids', 'not_unique'],
  ['an id that is not a string', { delivery_ids: [1] }, '/delivery_ids/0', 'string_type'],
  ['an empty id', { delivery_ids: [''] }, '/delivery_ids/0', 'string_too_short'],
  ['an id of 37 characters', { delivery_ids: ['x'.repeat(37)] }, '/delivery_ids/0', 'string_too_long'],
  ['ids that are not a list', { delivery_ids: 'dlv_1' }, '/delivery_ids', 'array_type'],
  ['ids that are null', { delivery_ids: null }, '/delivery_ids', 'array_type'],
  ['a webhook that is not a string', { webhook_id: 1 }, '/webhook_id', 'string_type'],
  ['an empty webhook', { webhook_id: '' }, '/webhook_id', 'string_too_short'],
  ['an invalid since', { webhook_id: 'wh_1', since: 'now' }, '/since', 'pattern_mismatch'],
  ['since with a UTC offset', { webhook_id: 'wh_1', since: '2026-11-21T09:00:00+02:00' }, '/since', 'pattern_mismatch'],
  ['30 February', { webhook_id: 'wh_1', since: '2026-02-30T09:00:00Z' }, '/since', 'date_time_invalid'],
  ['a number as since', { webhook_id: 'wh_1', since: 1795253400 }, '/since', 'string_type'],
  ['a word as ordered', { webhook_id: 'wh_1', ordered: 'yes' }, '/ordered', 'boolean_type'],
  ['an unknown field', { webhook_id: 'wh_1', limit: 5 }, '/limit', 'extra_forbidden'],
])('a retry request with %s is rejected', async (_name, body, pointer, code) => {
  const response = await (await startTestService()).post('/webhooks/retries', body);
  expect(response.body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(response.body.errors).toContainEqual(expect.objectContaining({ pointer, code }));
});

test.each([[[]], ['text'], [null]])('%j is not a valid retry request', async (wrong) => {
  const { body } = await (await startTestService()).post('/webhooks/retries', wrong);
  expect(body).toMatchObject({ status: 422, errors: [{ pointer: '', code: 'object_type' }] });
});
