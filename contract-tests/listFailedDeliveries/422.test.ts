import { expect, test } from 'vitest';
import { startTestService } from '../../testkit/service.js';
import { failedDeliveries, storeFailed } from '../../testkit/webhooks.js';

const cursorOf = (text: string) => Buffer.from(text).toString('base64url');

test.each([
  [`cursor=${'x'.repeat(129)}`, 'cursor', 'string_too_long'],
  ['cursor=made-up', 'cursor', 'cursor_invalid'],
  ['cursor=0', 'cursor', 'cursor_invalid'],
  ['cursor=null', 'cursor', 'cursor_invalid'],
  [`cursor=${cursorOf('e1.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
  [`sort=event_time&cursor=${cursorOf('1.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
  ['sort=newest', 'sort', 'enum'],
  [`cursor=${cursorOf("1.dlv_' or 1=1 --")}`, 'cursor', 'cursor_invalid'],
  [`cursor=${cursorOf('-1.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
  [`cursor=${cursorOf('1e9.dlv_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
  [`cursor=${cursorOf('1.wh_00000000000000000000')}`, 'cursor', 'cursor_invalid'],
  ['since=yesterday', 'since', 'pattern_mismatch'],
  ['since=', 'since', 'string_too_short'],
  ['since=1795253400', 'since', 'pattern_mismatch'],
  ['since=2026-11-21T09:00:00', 'since', 'pattern_mismatch'],
  ['since=2026-11-21T09:00:00%2B02:00', 'since', 'pattern_mismatch'],
  ['since=2026-02-30T09:00:00Z', 'since', 'date_time_invalid'],
  ['webhook_id=', 'webhook_id', 'string_too_short'],
  ['webhook_id=a%20b', 'webhook_id', 'pattern_mismatch'],
  ['webhook_id=a&webhook_id=b', 'webhook_id', 'repeated'],
  ['session_id=', 'session_id', 'string_too_short'],
  [`session_id=${'x'.repeat(257)}`, 'session_id', 'string_too_long'],
  ['limit=5', 'limit', 'extra_forbidden'],
])('the query %s is rejected', async (query, parameter, code) => {
  const { body } = await (await startTestService()).request(`/webhooks/retries?${query}`);
  expect(body).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(body.errors).toContainEqual(expect.objectContaining({ parameter, code }));
});

test('a cursor truncated to any length is rejected', async () => {
  const service = await startTestService();
  await storeFailed(
    service,
    Array.from({ length: 51 }, () => ({ webhookId: 'wh_a' })),
  );
  const cursor = (await failedDeliveries(service)).next_cursor as string;
  for (let length = 1; length < cursor.length; length += 1) {
    const { status } = await service.request(`/webhooks/retries?cursor=${cursor.slice(0, length)}`);
    expect([length, status]).toEqual([length, 422]);
  }
  expect((await failedDeliveries(service, `?cursor=${cursor}`)).deliveries).toHaveLength(1);
});
