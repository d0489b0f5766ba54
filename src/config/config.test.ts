import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig, withDefaultHours } from './config.js';

const hourMs = 3_600_000;

test('the retention follows the contract by default, that of readings on a database of 1.0.0', () => {
  const { retention } = readConfig({});
  expect(retention).toEqual({
    ...{
      readingsMs: 24 * hourMs,
      readingsMaxMs: 24 * hourMs,
      idleSessionsMs: 24 * hourMs,
      deliveriesMs: 7 * 24 * hourMs,
    },
    ...{
      summariesMs: 90 * 24 * hourMs,
      accessesMs: 365 * 24 * hourMs,
      feedbackMs: 365 * 24 * hourMs,
      erasuresMs: 400 * 24 * hourMs,
    },
  });
});

test('a shutdown waits for load balancers unless the database is embedded', () => {
  const delayMs = (env: Record<string, string>) => readConfig(env).shutdownDelayMs;
  const DATABASE_URL = 'mysql://user:password@db/state';
  expect([delayMs({}), delayMs({ DATABASE_URL })]).toEqual([0, 5_000]);
  expect([delayMs({ SHUTDOWN_DELAY_SECONDS: '7' }), delayMs({ DATABASE_URL, SHUTDOWN_DELAY_SECONDS: '0' })]).toEqual([
    7_000, 0,
  ]);
});

test.each([
  [{}, [192, 192, 192]],
  [{ RETENTION_READINGS_HOURS: '24' }, [24, 24, 24]],
  [{ RETENTION_READINGS_HOURS: '720' }, [720, 720, 720]],
  [{ RETENTION_READINGS_MAX_HOURS: '720' }, [192, 720, 192]],
  [{ RETENTION_READINGS_MAX_HOURS: '1' }, [192, 192, 192]],
  [{ RETENTION_IDLE_SESSIONS_HOURS: '48' }, [48, 48, 48]],
  [{ RETENTION_IDLE_SESSIONS_HOURS: '720' }, [192, 192, 720]],
])('on a database that keeps readings for 192 hours, %j states times of readings and sessions', (env, expected) => {
  const { readingsMs, readingsMaxMs, idleSessionsMs } = withDefaultHours(readConfig(env), 192).retention;
  expect([readingsMs, readingsMaxMs, idleSessionsMs].map((it) => it / hourMs)).toEqual(expected);
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

test('SOURCES_URL is an http URL with a private IPv4 address', () => {
  expect(readConfig({ SOURCES_URL: 'http://10.0.0.2:80/' }).sourcesUrl).toBe('http://10.0.0.2');
  for (const SOURCES_URL of ['https://10.0.0.2', 'http://8.8.8.8', 'http://localhost:1', 'http://10.0.0.2/v1'])
    expect(() => readConfig({ SOURCES_URL })).toThrow('SOURCES_URL must be an http');
});

test('PUBLIC_URL is an https URL, or http with a private address', () => {
  const read = (PUBLIC_URL: string) => readConfig({ PUBLIC_URL }).publicUrl;
  for (const url of [
    'https://state.example.com',
    'https://a.example/state',
    'http://192.168.1.20:8080',
    'http://[fd00::1]:8080',
  ])
    expect([read(url), read(`${url}/`)]).toEqual([url, url]);
  for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://pi.local']) expect(read(url)).toBe(url);
  for (const url of [
    'http://state.example.com',
    'http://8.8.8.8',
    'https://a@b.example',
    'https://a.example/?q',
    'ftp://a',
    'x',
  ])
    expect(() => read(url)).toThrow('PUBLIC_URL must be an https URL without a query');
});

/** Writes a file for this test and returns its path. */
function write(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'secret'), content);
  return join(folder, 'secret');
}

const key = 'k'.repeat(32);

test.each(['', '\n', '\r\n'])('secrets are read from files without the last line break %j', (end) => {
  const { database, secretsKeys } = readConfig({
    DATABASE_URL_FILE: write(`mysql://user:pw@db/state${end}`),
    SECRETS_KEY_FILE: write(key + end),
  });
  expect([database, secretsKeys]).toEqual([{ kind: 'mysql', url: 'mysql://user:pw@db/state' }, [key]]);
});

test('an empty variable does not contradict a file, and an empty file variable does not contradict a value', () => {
  expect(readConfig({ SECRETS_KEY: '', SECRETS_KEY_FILE: write(key) }).secretsKeys).toEqual([key]);
  expect(readConfig({ SECRETS_KEY: key, SECRETS_KEY_FILE: '' }).secretsKeys).toEqual([key]);
});

test.each(['DATABASE_URL', 'SECRETS_KEY', 'SAFETY_SECRET'])(
  '%s is not read from a file that is ambiguous or faulty',
  (name) => {
    const expectRead = (env: Record<string, string>) => expect(() => readConfig(env));
    expectRead({ [name]: key, [`${name}_FILE`]: write(key) }).toThrow(
      `${name} and ${name}_FILE are both set: unset one`,
    );
    expectRead({ [`${name}_FILE`]: '/none/secret' }).toThrow(`${name} cannot be read from ${name}_FILE: ENOENT`);
    expectRead({ [`${name}_FILE`]: tmpdir() }).toThrow(`${name} cannot be read from ${name}_FILE: EISDIR`);
    const empty = write('\n');
    expectRead({ [`${name}_FILE`]: empty }).toThrow(`${name} cannot be read from ${name}_FILE: ${empty} is empty`);
    expectRead({ [`${name}_FILE`]: write('hidden') }).not.toThrow('hidden');
  },
);

const oauth = {
  PUBLIC_URL: 'https://state.example.com/',
  OAUTH_ISSUER: 'https://id.example.com/realms/a/',
  OAUTH_ACCOUNT: 'app',
  OAUTH_SUBJECT_CLAIM: 'sub',
};

test('the resource of OAuth is below PUBLIC_URL, and the issuer stays exactly as it is written', () => {
  expect(readConfig({ ...oauth, OAUTH_AUDIENCE: 'a, b' }).oauth).toMatchObject({
    issuer: 'https://id.example.com/realms/a/',
    resource: 'https://state.example.com/mcp',
    audiences: ['https://state.example.com/mcp', 'https://state.example.com/a2a', 'a', 'b'],
  });
  expect(readConfig({ PUBLIC_URL: 'http://127.0.0.1:8080' }).oauth).toBeUndefined();
});

test.each<[Readonly<Record<string, string>>, string]>([
  [{ PUBLIC_URL: '' }, 'OAUTH_ISSUER requires PUBLIC_URL, with https'],
  [{ OAUTH_SCOPE_PREFIX: 'a b' }, 'OAUTH_SCOPE_PREFIX must not have spaces and quotes'],
  [{ OAUTH_ISSUER: '' }, 'OAUTH_ACCOUNT has no effect without OAUTH_ISSUER: set OAUTH_ISSUER, or unset OAUTH_ACCOUNT'],
  [{ OAUTH_ACCOUNT: '' }, 'OAUTH_ISSUER requires either OAUTH_ACCOUNT or OAUTH_ACCOUNT_CLAIM: set one of them'],
  [{ OAUTH_ACCOUNT_CLAIM: 'tenant' }, 'requires either OAUTH_ACCOUNT or OAUTH_ACCOUNT_CLAIM'],
  [{ OAUTH_SUBJECT_CLAIM: '' }, 'OAUTH_ISSUER requires OAUTH_SUBJECT_CLAIM, e.g. sub: set it'],
  [{ OAUTH_SUBJECT_CLAIM: 'email' }, 'OAUTH_SUBJECT_CLAIM must not be "email"'],
  [{ OAUTH_ACCOUNT: '', OAUTH_ACCOUNT_CLAIM: 'preferred_username' }, 'OAUTH_ACCOUNT_CLAIM must not be'],
  [{ OAUTH_ISSUER: 'http://id.example.com' }, 'OAUTH_ISSUER must be an https URL'],
  [{ OAUTH_ISSUER: 'https://id.example.com/?a' }, 'OAUTH_ISSUER must be an https URL'],
  [{ OAUTH_ISSUER: 'https://user:secret@id.example.com' }, 'OAUTH_ISSUER must be an https URL'],
  [{ PUBLIC_URL: 'https://state.example.com/api' }, 'OAUTH_ISSUER requires PUBLIC_URL, with https'],
  [{ PUBLIC_URL: 'http://10.0.0.1' }, 'OAUTH_ISSUER requires PUBLIC_URL, with https'],
  [{ SECURITY_CONTACT: 'security@example.com' }, 'SECURITY_CONTACT must be a mailto:'],
])('%j is rejected, and the error names the remedy', (env, message) => {
  expect(() => readConfig({ ...oauth, ...env })).toThrow(message);
});
