import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const hourMs = 3_600_000;

test('the retention follows the contract by default', () => {
  const { retention } = readConfig({});
  expect(retention).toEqual({ readingsMs: 24 * hourMs, idleSessionsMs: 24 * hourMs, deliveriesMs: 7 * 24 * hourMs });
});

test('without RETENTION_SUMMARY_DAYS, the database decides how long hours are stored', () => {
  const summariesMs = (days: string) => readConfig({ RETENTION_SUMMARY_DAYS: days }).retention.summariesMs;
  expect([summariesMs(''), summariesMs('0'), summariesMs('30')]).toEqual([undefined, 0, 30 * 24 * hourMs]);
});

test('sessions are stored at least as long as their readings', () => {
  const idleSessionsMs = (env: Record<string, string>) => readConfig(env).retention.idleSessionsMs;
  expect(idleSessionsMs({ RETENTION_READINGS_HOURS: '1' })).toBe(24 * hourMs);
  expect(idleSessionsMs({ RETENTION_READINGS_HOURS: '87600' })).toBe(87_600 * hourMs);
  expect(idleSessionsMs({ RETENTION_IDLE_SESSIONS_HOURS: '25' })).toBe(25 * hourMs);
});

test.each([
  [{ RETENTION_READINGS_HOURS: '0' }, 'RETENTION_READINGS_HOURS must be a whole number from 1 to 87600, not "0"'],
  [{ RETENTION_READINGS_HOURS: '87601' }, 'RETENTION_READINGS_HOURS must be a whole number from 1 to 87600'],
  [{ RETENTION_READINGS_HOURS: '1.5' }, 'RETENTION_READINGS_HOURS must be a whole number'],
  [{ RETENTION_DELIVERIES_DAYS: '3651' }, 'RETENTION_DELIVERIES_DAYS must be a whole number from 1 to 3650'],
  [
    { RETENTION_IDLE_SESSIONS_HOURS: '23' },
    'RETENTION_IDLE_SESSIONS_HOURS must be at least RETENTION_READINGS_HOURS (24)',
  ],
  [
    { RETENTION_READINGS_HOURS: '1', MAX_TIMESTAMP_AGE_SECONDS: '3601' },
    'MAX_TIMESTAMP_AGE_SECONDS must be at most RETENTION_READINGS_HOURS, which are 3600 seconds',
  ],
])('rejects %j', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});
