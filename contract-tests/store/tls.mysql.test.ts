import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.js';
import { openDatabase } from '../../src/store/database.js';
import { isTransient } from '../../src/store/retry.js';
import { atEndOfFile } from '../../testkit/at-end-of-file.js';
import { startPrivateMariadb } from '../../testkit/mariadb.js';
import { runMain, startDeliver, startMain } from '../../testkit/process.js';
import { freePorts } from '../../testkit/program.js';

const run = promisify(execFile);
let folder: string;
let port: number;
let unused: number;
/** Runs a statement on the server as root. */
let administer: (sql: string) => Promise<unknown>;

const pathOf = (name: string) => join(folder, name);

/** Writes NAME.pem and NAME.key. `ca` signs the certificate. Without `ca`, the certificate signs itself. */
async function certify(name: string, subject: string, ca?: string): Promise<void> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', pathOf(`${name}.key`)];
  const signer = ca === undefined ? [] : ['-CA', pathOf(`${ca}.pem`), '-CAkey', pathOf(`${ca}.key`)];
  const names = ['-subj', `/CN=${subject}`, '-addext', `subjectAltName=DNS:${subject}`];
  const kind = ['-addext', `basicConstraints=critical,CA:${ca === undefined ? 'TRUE' : 'FALSE'}`];
  await run('openssl', [
    'req',
    '-x509',
    '-days',
    '2',
    ...key,
    ...signer,
    ...names,
    ...kind,
    '-out',
    pathOf(`${name}.pem`),
  ]);
}

/** Makes the server present the certificate NAME. */
async function present(name: string): Promise<void> {
  for (const end of ['pem', 'key']) await writeFile(pathOf(`server.${end}`), await readFile(pathOf(`${name}.${end}`)));
  await administer('flush ssl');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mysql-tls-'));
  atEndOfFile(() => rm(folder, { recursive: true }));
  await Promise.all([certify('ca', 'authority'), certify('other', 'other authority')]);
  await Promise.all([
    certify('server', 'localhost', 'ca'),
    certify('good', 'localhost', 'ca'),
    certify('misnamed', 'db.example', 'ca'),
    certify('client', 'client', 'ca'),
    certify('stranger', 'client', 'other'),
  ]);
  [port, unused] = (await freePorts(2)) as [number, number];
  const files = [
    `--ssl-ca=${pathOf('ca.pem')}`,
    `--ssl-cert=${pathOf('server.pem')}`,
    `--ssl-key=${pathOf('server.key')}`,
  ];
  const server = await startPrivateMariadb(port, files, folder);
  atEndOfFile(server.remove);
  administer = async (sql) => {
    const ssl = { rejectUnauthorized: false };
    const connection = await mysql.createConnection({ uri: server.url, ssl, multipleStatements: true });
    await connection.query(sql).finally(() => connection.end());
  };
  await administer(`create database state; create user plain identified by 'pw'; grant all on state.* to plain;
    create user certified identified by 'pw' require x509; grant all on state.* to certified;
    set global require_secure_transport = on`);
});

/** Returns a URL with `parameters`. The names of files in it get the folder of the test. */
function urlWith(parameters: string, user = 'plain', hosts = `localhost:${port}`): string {
  const withFolder = parameters.replace(/(ca|cert|key)=(\w)/g, `$1=${folder}/$2`);
  return `mysql://${user}:pw@${hosts}/state${withFolder && `?${withFolder}`}`;
}

/** Returns the TLS version of a connection, or the error of the connection. */
async function connect(url: string): Promise<string> {
  const knex = openDatabase(readConfig({ DATABASE_URL: url }).database);
  try {
    const [rows] = (await knex.raw("show status like 'Ssl_version'")) as [Array<{ Value: string }>];
    return rows[0]?.Value ?? '';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code} ${isTransient(error) ? 'retryable ' : ''}${message}`;
  } finally {
    await knex.destroy();
  }
}

const client = '&ssl-cert=client.pem&ssl-key=client.key';

test.each(['ssl-mode=REQUIRED', 'ssl-mode=VERIFY_CA&ssl-ca=ca.pem', 'ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem'])(
  'connects with %s to a server that requires TLS',
  async (parameters) => {
    await present('good');
    expect(await connect(urlWith(parameters))).toBe('TLSv1.3');
    const hosts = `localhost:${unused},localhost:${port}`;
    expect(await connect(urlWith(parameters, 'plain', hosts))).toBe('TLSv1.3');
  },
);

test('a server that requires TLS rejects a connection without it', async () => {
  expect(await connect(urlWith(''))).toMatch(/^ER_(ACCESS_DENIED|SECURE_TRANSPORT)/);
});

test('rejects a server whose certificate another authority signed, unless nothing is verified', async () => {
  await present('good');
  for (const mode of ['VERIFY_CA', 'VERIFY_IDENTITY']) {
    const parameters = `ssl-mode=${mode}&ssl-ca=other.pem`;
    expect(await connect(urlWith(parameters))).toMatch(/^HANDSHAKE_SSL_ERROR retryable .*certificate/);
    const hosts = `localhost:${unused},localhost:${port}`;
    expect(await connect(urlWith(parameters, 'plain', hosts))).toMatch(/^NO_USABLE_HOST retryable .*certificate/);
  }
});

test('only VERIFY_IDENTITY rejects a certificate of another host name', async () => {
  await present('misnamed');
  expect(await connect(urlWith('ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem'))).toMatch(/HANDSHAKE_SSL_ERROR.*db\.example/);
  expect(await connect(urlWith('ssl-mode=VERIFY_CA&ssl-ca=ca.pem'))).toBe('TLSv1.3');
  expect(await connect(urlWith('ssl-mode=REQUIRED'))).toBe('TLSv1.3');
});

test('a user who requires a client certificate connects only with one of the same authority', async () => {
  await present('good');
  const verified = 'ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem';
  expect(await connect(urlWith(verified + client, 'certified'))).toBe('TLSv1.3');
  expect(await connect(urlWith(verified, 'certified'))).toMatch(/ER_ACCESS_DENIED_ERROR/);
  const strange = client.replaceAll('client', 'stranger');
  expect(await connect(urlWith(verified + strange, 'certified'))).not.toBe('TLSv1.3');
});

test('service, worker, keys, doctor and backup use TLS and the client certificate', async () => {
  await present('good');
  const env = { DATABASE_URL: urlWith(`ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem${client}`, 'certified') };
  const service = await startMain(env);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await startDeliver(env);
  expect(await runMain(['keys', 'create', '--account', 'acme'], env)).toMatchObject({ code: 0 });
  const checked = await runMain(['doctor'], { ...env, PORT: new URL(service.url).port });
  expect(checked.stdout).toContain('responds and accepts writes, schema is current');

  expect(await runMain(['backup', pathOf('dump.sql')], env)).toMatchObject({ code: 0 });
  expect(await readFile(pathOf('dump.sql'), 'utf8')).toContain('CREATE TABLE `webhooks`');
  await present('misnamed');
  onTestFinished(() => present('good'));
  expect(await runMain(['backup', pathOf('late.sql')], env)).toMatchObject({ code: 1 });
  const { code, stderr } = await runMain(['keys', 'create', '--account', 'late'], env);
  expect([code, stderr]).toEqual([1, expect.stringContaining('TLS to the database failed: check its certificate')]);
});
