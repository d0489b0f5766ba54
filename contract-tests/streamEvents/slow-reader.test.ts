import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { copyReading } from '../../testkit/copied-readings.js';
import { openPaused } from '../../testkit/open-socket.js';
import { startTestService, type TestService } from '../../testkit/service.js';
import { until } from '../../testkit/until.js';

/** Number of events. Together they are larger than the buffers of a connection. */
const count = 3_000;
const beatMs = 20;
const clockFactor = 50;

/** Opens a stream after an event, whose client does not read on. */
async function open({ url, key }: TestService, after: string) {
  const { socket, received } = await openPaused(`${url}/v1/stream?last_event_id=${after}`, { 'X-Service-Key': key });
  const events = () => received().matchAll(/^id: (\d+)\nevent: reading\ndata: .+\n\n/gm);
  return { socket, ids: () => [...events()].map(([, id]) => id ?? '') };
}

/** Replaces the clock, so that the stall time passes in less than a second. */
function spyOnClock() {
  const now = performance.now.bind(performance);
  const startedAtMs = now();
  const clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => startedAtMs + (now() - startedAtMs) * clockFactor);
  onTestFinished(() => clock.mockRestore());
  return clock;
}

test('a client that stops reading is disconnected, and continues without gaps or duplicates', async () => {
  const service = await startTestService({ heartbeatMs: beatMs, env: { MAX_STREAMS: '1' } });
  await service.read({ heart_rate: 70 });
  const all = await copyReading(service, count);
  const slow = await open(service, '0');
  const runFast = spyOnClock();
  await until('the service closes the connection', async () => (await service.request('/v1/stream')).status === 200);
  runFast.mockRestore();
  slow.socket.resume();
  await once(slow.socket, 'close');
  const received = slow.ids();
  expect(received.length).toBeLessThan(count);
  const resumed = await open(service, received.at(-1) ?? '0');
  resumed.socket.resume();
  await until('the other events arrive', async () => received.length + resumed.ids().length >= count);
  expect([...received, ...resumed.ids()]).toEqual(all);
});
