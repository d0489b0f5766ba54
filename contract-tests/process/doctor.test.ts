import { chmod, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { databaseKind } from '../../testkit/databases.js';
import { runMain, startMain } from '../../testkit/process.js';
import { temporaryDatabase } from '../../testkit/temporary-database.js';

test('doctor finds nothing to do for a running service, and names the remedy once it is stopped', async () => {
  const database = await temporaryDatabase();
  const service = await startMain({ DATABASE_URL: database.url });
  const env = { DATABASE_URL: database.url, PORT: new URL(service.url).port };
  const healthy = await runMain(['doctor'], env);
  expect(healthy.stdout).toContain('responds and accepts writes, schema is current');
  expect(healthy.stdout).toContain(`${service.url}/readyz responds with 200`);
  expect(healthy.stdout).not.toContain('remedy: start');
  expect(healthy.stdout).toMatch(databaseKind === 'mysql' ? /clock: agrees with the database server/ : /clock: /);
  await service.stop('SIGTERM');

  if (databaseKind === 'sqlite') await chmod(database.url.slice('sqlite:'.length), 0o644);
  const broken = await runMain(['doctor'], { ...env, REDIS_URL: 'redis://127.0.0.1:1' });
  expect(broken.code).toBe(1);
  expect(broken.stdout).toMatch(
    /problem {2}service: .* does not respond \(ECONNREFUSED\)\n +remedy: start the service/,
  );
  expect(broken.stdout).toMatch(/problem {2}Redis: .*\n +remedy: start Redis, or correct REDIS_URL/);
  if (databaseKind === 'sqlite') expect(broken.stdout).toMatch(/mode 644\n +remedy: chmod 600/);
});

test('doctor names the remedy for a database that does not respond', async () => {
  const { code, stdout } = await runMain(['doctor'], { DATABASE_URL: 'mysql://root@127.0.0.1:1/x' });
  expect(code).toBe(1);
  expect(stdout).toContain('remedy: start the database server, or correct DATABASE_URL');
});

test('doctor tells to migrate an empty database', async () => {
  const database = await temporaryDatabase();
  if (databaseKind === 'sqlite') await writeFile(database.url.slice('sqlite:'.length), '', { mode: 0o600 });
  const { code, stdout } = await runMain(['doctor', '--json'], { DATABASE_URL: database.url });
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toContainEqual({
    what: 'database',
    found: 'responds, schema is absent or old',
    remedy: 'run migrate',
    ok: false,
  });
});
