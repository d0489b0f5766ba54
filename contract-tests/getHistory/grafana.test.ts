import { guideCode } from '../../testkit/guide-code.js';
import { startTestService } from '../../testkit/service.js';
import { expect, test } from '../../testkit/test.js';

test('the queries of the guide for Grafana, whose times are epoch milliseconds, return the columns that it names', async () => {
  const { read, request, clock } = await startTestService();
  await read({ session_id: 's1', subject_id: 'demo-ada', heart_rate: 90 });
  const text = await guideCode('docs/monitoring.md', '/summary?interval=hour');
  const [history = '', summary = ''] = text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replace('$SERVICE_URL', '')
        .replaceAll('${__to}', String(clock.nowMs))
        .replace('${__from}', String(clock.nowMs - 86_400_000)),
    );
  const points = (await request(history)).body.datapoints;
  expect(points).toMatchObject([{ timestamp: expect.any(String), stress_score: expect.any(Number) }]);
  const { rows } = (await request(summary)).body;
  expect(rows).toMatchObject([{ start: expect.any(String), stress_score: { mean: expect.any(Number) } }]);
});

test.each(['12345678901', '12345678901234', '1e12', '-123456789012', '123456789012.5'])(
  'a time of a query is a date-time or 12 to 13 digits, not %s',
  async (until) => {
    const { request, read } = await startTestService();
    await read({ session_id: 's1', heart_rate: 90 });
    const { status, body } = await request(`/v1/history?session_id=s1&until=${encodeURIComponent(until)}`);
    expect([status, body.errors?.[0]?.parameter]).toEqual([422, 'until']);
  },
);
