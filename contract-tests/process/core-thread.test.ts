import { expect, test } from 'vitest';
import { type Running, startMain } from '../../testkit/process.js';
import { migratedDatabase } from '../../testkit/temporary-database.js';
import { until } from '../../testkit/until.js';

const preload = new URL('core-preload.mjs', import.meta.url);

test.each([
  ['process.exit', 'exit', 'exit code 3'],
  ['a full heap', 'fillMemory', 'reaching memory limit'],
])('%s in the core thread ends the process with one log line', async (_, action, message) => {
  await expectEnd(await startWith({ CORE_ACTION: action }), message);
});

test('event-loop lag and heap are measured per thread, and an uncaught error in the core thread ends the process with one log line', async () => {
  const service = await startWith({ CORE_ACTION: 'throw', METRICS_PORT: '0' });
  await until('the address is printed', () => service.stdout().includes('Metrics on'));
  const metricsUrl = /^Metrics on (\S+)$/m.exec(service.stdout())?.[1] ?? '';
  const text = await (await fetch(metricsUrl)).text();
  const heapOf = (thread: string) =>
    Number(new RegExp(`^state_service_thread_heap_used_bytes{thread="${thread}"} (\\d+)$`, 'm').exec(text)?.[1]);
  expect(heapOf('core')).toBeGreaterThan(100_000_000);
  expect(heapOf('http')).toBeLessThan(100_000_000);
  for (const thread of ['http', 'core'])
    for (const figure of ['p99', 'max'])
      expect(text).toMatch(
        new RegExp(`^state_service_thread_event_loop_lag_${figure}_seconds{thread="${thread}"} \\d`, 'm'),
      );
  await expectEnd(service, 'thrown in the core');
});

async function expectEnd(service: Running, message: string): Promise<void> {
  const { code, stderr } = await service.stop('SIGUSR2');
  expect(code).toBe(1);
  const lines = stderr.split('\n').filter((line) => line.includes('core thread ended unexpectedly'));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 60, err: { message: expect.stringContaining(message) } },
  ]);
}

async function startWith(env: Record<string, string>): Promise<Running> {
  const database = await migratedDatabase();
  const NODE_OPTIONS = `--import ${preload.href} --max-old-space-size=256`;
  return startMain({ DATABASE_URL: database.url, NODE_OPTIONS, ...env });
}
