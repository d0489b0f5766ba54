import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { alerts } from '../../generated/spec.js';
import { createEvidence } from '../access-record/chain.js';
import type { Config } from '../config/config.js';
import { buildKeyFilePath } from '../config/secrets-key.js';
import { formatCommandLine } from '../contract/command-line.js';
import { readLastBackup } from '../observe/probes.js';
import { describeCause } from '../observe/start.js';
import { findMatchingKeys } from '../serve/secrets-keys.js';
import { withStoredRetention } from '../retention/shortened.js';
import { createAlertTable, findAccountsWithRules, type StoredAlertRule } from '../store/alerts.js';
import { findDueQueues } from '../store/delivery-queue.js';
import { SchemaError } from '../store/migrate.js';
import { hasSeveralHosts, inspectHosts } from '../store/mysql-pool.js';
import { findOldestEvent } from '../store/outbox.js';
import { findKeptHours } from '../store/keys.js';
import { createSourceKeyLookup } from '../store/source-keys.js';
import { hasFirstCodes } from '../store/first-codes.js';
import { countInvalidRows } from '../store/invalid-rows.js';
import { openStore, type Store } from '../store/store.js';
import { createWebhookTable, type StoredWebhook } from '../store/webhooks.js';
import { adviseOnDatabase, adviseOnHost } from './advise.js';

/**
 * Maximum difference between the clock of this machine and that of a server, in ms. With a larger one, times that
 * commands store, e.g. the expiry of a key, differ from those of the service.
 */
const differenceMaxMs = 2_000;
const freeBytesMin = 1024 ** 3;
const responseMs = 3_000;
/** Daily backups may be missed once. */
const backupHoursMax = 48;
/** The first release of Node that the service supports. */
const nodeMin = [20, 19] as const;

/** The outcome of one check of `doctor`. The remedy is absent if there is nothing to do. */
interface Finding {
  readonly what: string;
  readonly found: string;
  readonly remedy?: string;
}

/**
 * Checks the deployment and prints each finding with its remedy, or all as JSON. `warnings` are about the environment.
 * Sets the exit code to 1 if there is a remedy.
 */
export async function checkInstallation(config: Config, warnings: readonly string[], isJson: boolean): Promise<void> {
  const findings: (Finding & { readonly ok: boolean })[] = [];
  const checkEnvironment = async () => warnings.map((it) => problem('environment', ...splitRemedy(new Error(it))));
  const ofParts = [checkFiles, checkDisk, checkHosts, checkDatabase, checkRedis, checkClock, checkBackup, checkService];
  const checks: Array<(config: Config) => Promise<Finding[]>> = [checkNode, checkEnvironment, ...ofParts];
  for (const check of checks) {
    for (const finding of await check(config)) {
      const { what, found, remedy } = finding;
      findings.push({ ...finding, ok: remedy === undefined });
      if (remedy !== undefined) process.exitCode = 1;
      if (isJson) continue;
      console.log(`${remedy === undefined ? 'ok     ' : 'problem'}  ${what}: ${found}`);
      if (remedy !== undefined) console.log(`         remedy: ${remedy}`);
    }
  }
  if (isJson) console.log(JSON.stringify(findings));
}

async function checkNode(): Promise<Finding[]> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const isSupported = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  return [finding('Node.js', process.versions.node, isSupported, `install Node.js ${nodeMin.join('.')} or newer`)];
}

/** Files of an embedded database that others can read expose readings and secrets. */
async function checkFiles({ database }: Config): Promise<Finding[]> {
  if (database.kind !== 'sqlite' || process.platform === 'win32') return [];
  const files = [database.file, `${database.file}-wal`, buildKeyFilePath(database.file)].filter((it) => existsSync(it));
  return files.map((file) => {
    const mode = statSync(file).mode & 0o777;
    return finding(file, `mode ${mode.toString(8)}`, (mode & 0o077) === 0, `chmod 600 ${file}`);
  });
}

async function checkDisk({ database }: Config): Promise<Finding[]> {
  if (database.kind !== 'sqlite') return [];
  const folder = dirname(database.file);
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const found = `${Math.floor((bavail * bsize) / 1024 ** 2)} MB free`;
    return [finding(folder, found, bavail * bsize >= freeBytesMin, 'free space: at least 1 GB')];
  } catch (error) {
    return [problem(folder, (error as Error).message, 'create the folder and let the user of the service write to it')];
  }
}

/** Checks each of several hosts and its clock, because the service uses only the first usable one. */
async function checkHosts({ database }: Config): Promise<Finding[]> {
  const hosts = database.kind === 'mysql' ? await inspectHosts(database.url) : [];
  if (hosts.length < 2) return [];
  return hosts.flatMap((standing) => {
    const { host, reason = 'usable', aheadMs } = standing;
    const remedy = adviseOnHost(standing, hosts);
    return [
      { what: `database host ${host}`, found: reason, ...(remedy !== undefined && { remedy }) },
      ...(aheadMs === undefined ? [] : [judgeClock(`the database host ${host}`, -aheadMs)]),
    ];
  });
}

/** Does not create or migrate a database. */
async function checkDatabase(config: Config): Promise<Finding[]> {
  const { database } = config;
  if (database.kind === 'sqlite' && !existsSync(database.file))
    return [{ what: 'database', found: `none at ${resolve(database.file)} yet; the first start creates it` }];
  const store = openStore(database, 'administration');
  try {
    const [isReady, isDurable] = [await store.isReady(), await store.isDurable()];
    if (isReady) await store.requireParts();
    if (isReady) await store.tryWrite();
    return [
      finding(
        'database',
        isReady ? 'responds and accepts writes, schema is current' : 'responds, schema is absent or old',
        isReady,
        'run migrate',
      ),
      finding(
        'durability',
        isDurable ? 'commits are on disk before they are acknowledged' : 'commits may be lost at power loss',
        isDurable,
        'set innodb_flush_log_at_trx_commit = 1 on the server',
      ),
      ...(isReady
        ? [
            await checkSecretsKey(store, config),
            ...(await checkRows(store, config)),
            ...(await checkWorker(store, database.kind)),
            ...(await checkSources(store, await withStoredRetention(store, config))),
            ...(await checkAlertRules(store, config)),
          ]
        : []),
      ...(isOnlyHost(database) ? [await compareClock('the database server', store.readClock)] : []),
    ];
  } catch (error) {
    return error instanceof SchemaError
      ? [problem('database', ...splitRemedy(error))]
      : [problem('database', describeCause(error), adviseOnDatabase(error))];
  } finally {
    await store.close();
  }
}

/** The clocks of several hosts are checked with the hosts. */
function isOnlyHost(database: Config['database']): boolean {
  return database.kind === 'mysql' && !hasSeveralHosts(database.url);
}

/** Creates no key file. */
async function checkSecretsKey(store: Store, config: Config): Promise<Finding> {
  const what = 'secrets key';
  try {
    const keys = await findMatchingKeys(store, config);
    return { what, found: keys ? 'fits the database' : 'none yet; the first start creates it' };
  } catch (error) {
    return problem(what, ...splitRemedy(error));
  }
}

/** Names the tables with rows that the service does not obey. The first start codes the rows of an earlier version. */
async function checkRows(store: Store, config: Config): Promise<Finding[]> {
  const keys = await findMatchingKeys(store, config).catch(() => undefined);
  if (!keys || !(await store.run(hasFirstCodes))) return [];
  const counts = await store.run((knex) => countInvalidRows(knex, createEvidence(keys, undefined)));
  const remedy = `see ${formatCommandLine('audit', '--verify')}, then record them again, or accept them with audit --accept`;
  return [...counts].map(([table, count]) => problem(`table ${table}`, `${count} rows without a valid code`, remedy));
}

/** A worker distributes an event, and sends a due delivery, within a second. */
async function checkWorker(store: Store, kind: Config['database']['kind']): Promise<Finding[]> {
  const nowMs = kind === 'mysql' ? await store.readClock() : Date.now();
  const eventAtMs = (await store.run(findOldestEvent)) ?? nowMs;
  const dueAtMs = (await store.run((knex) => findDueQueues(knex))).map(({ firstDueAtMs }) => firstDueAtMs);
  const minutes = Math.floor((nowMs - Math.min(eventAtMs, ...dueAtMs)) / 60_000);
  const found = `a notification has been waiting for ${minutes} minutes`;
  const remedy = `run "${formatCommandLine('deliver')}", or set WORKER=1`;
  return minutes < 5 ? [] : [problem('webhooks', found, remedy)];
}

/** Apps that send the day before, or a week, may require a longer retention. */
async function checkSources(store: Store, { retention }: Config): Promise<Finding[]> {
  const keptHours = await store.run(findKeptHours);
  const needed = await store.run((knex) => createSourceKeyLookup(knex).findNeededHours(Date.now()));
  const missed = new Map<string, (typeof needed)[number]>();
  for (const it of needed) {
    const key = `${it.accountId} ${it.source}`;
    const kept = Math.max(keptHours.get(it.accountId) ?? retention.readingsMs / 3_600_000, missed.get(key)?.hours ?? 0);
    if (it.hours > kept) missed.set(key, it);
  }
  return [...missed.values()].map(({ source, account, hours }) =>
    problem(
      `source ${source}`,
      `sends samples from before the retention of readings of ${account}, which are skipped`,
      `set RETENTION_READINGS_HOURS=${hours}, or with RETENTION_READINGS_MAX_HOURS=${hours}, run ` +
        formatCommandLine('accounts set', `${account} keep-readings ${hours}`),
    ),
  );
}

/** The evaluation passes over a rule that cannot fire, without a message. */
async function checkAlertRules(store: Store, config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const accountId of await store.run(findAccountsWithRules)) {
    const scope = store.read(accountId);
    const [table, webhooks] = [createAlertTable(scope), await createWebhookTable(scope).list()];
    for (const rule of await table.list()) {
      const { alertId, subjectIds } = rule;
      const unknown = subjectIds ? subjectIds.length - (await table.known(subjectIds)).length : 0;
      const causes = findSilence(rule, webhooks, unknown, config);
      findings.push(...causes.map((it) => problem(`alert rule ${alertId} of ${accountId}`, ...it)));
    }
  }
  return findings;
}

/** Returns why a rule never fires, or not for all of its people, with the remedies. Of `unknown` people nothing is stored. */
function findSilence(
  { alertId, condition, subjectIds: ids }: StoredAlertRule,
  webhooks: readonly StoredWebhook[],
  unknown: number,
  { retention: { summariesMs } }: Config,
): Array<[string, string]> {
  const isReceived = webhooks.some(
    ({ events, sessionId, subjectId, disabledAtMs }) =>
      events.includes('alert') && !sessionId && !disabledAtMs && (!ids || !subjectId || ids.includes(subjectId)),
  );
  const { days_min: days } = alerts.usual;
  const lacksHours = condition === 'above_usual' && summariesMs < days * 86_400_000;
  const causes: Array<[boolean, string, string]> = [
    [
      !isReceived,
      'no webhook gets its alerts',
      'register one with "alert" in events, for all people or for those of the rule',
    ],
    [ids?.length === 0, 'all of its people were erased', `remove it with DELETE /v1/alerts/${alertId}`],
    [unknown > 0, `nothing is stored of ${unknown} of its people`, 'compare its ids with those of the readings'],
    [lacksHours, `a usual level requires ${days} days`, `set RETENTION_SUMMARY_DAYS to at least ${days}`],
  ];
  return causes.flatMap(([isTrue, found, remedy]) => (isTrue ? [[found, remedy]] : []));
}

async function checkBackup({ backupStatusFile: file }: Config): Promise<Finding[]> {
  if (file === undefined) return [];
  const backedUpAtMs = await readLastBackup(file);
  const hours = Math.floor((Date.now() - (backedUpAtMs ?? 0)) / 3_600_000);
  const found = backedUpAtMs === undefined ? `none is recorded in ${file}` : `the last one is ${hours} hours old`;
  const remedy = `run "${formatCommandLine('backup', '--every 6h --to FOLDER')}" as a service, and read its log`;
  return [finding('backup', found, hours < backupHoursMax, remedy)];
}

async function checkRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (redisUrl === undefined) return [{ what: 'Redis', found: 'not configured; each process counts separately' }];
  const once = { lazyConnect: true, connectTimeout: responseMs, retryStrategy: () => null };
  const redis = new Redis(redisUrl, { ...once, maxRetriesPerRequest: 0 });
  // Connection errors also reject the calls below.
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await redis.ping();
    return [{ what: 'Redis', found: 'responds' }, await compareClock('the Redis server', () => readClock(redis))];
  } catch (error) {
    return [problem('Redis', describeCause(error), 'start Redis, or correct REDIS_URL')];
  } finally {
    redis.disconnect();
  }
}

/** Returns the time of the Redis server, in epoch ms. */
async function readClock(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return 1000 * Number(seconds) + Number(microseconds) / 1000;
}

/** With MySQL or Redis, the clock was compared with theirs. */
async function checkClock({ database, redisUrl }: Config): Promise<Finding[]> {
  return database.kind === 'sqlite' && redisUrl === undefined ? checkSynchronization() : [];
}

/** Compares the clock of this machine with a server's clock. `read` returns the server's time in epoch ms. */
export async function compareClock(server: string, read: () => Promise<number>): Promise<Finding> {
  const beforeMs = Date.now();
  const serverMs = await read();
  const afterMs = Date.now();
  // The server read its clock between `beforeMs` and `afterMs`.
  const aheadMs = beforeMs > serverMs ? beforeMs - serverMs : Math.min(0, afterMs - serverMs);
  return judgeClock(server, aheadMs);
}

/** Judges how far the clock of this machine is ahead of a server's clock, in ms. */
function judgeClock(server: string, aheadMs: number): Finding {
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const isFine = Math.abs(aheadMs) <= differenceMaxMs;
  const found = isFine
    ? `agrees with ${server}`
    : `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ${server}`;
  return finding('clock', found, isFine, 'synchronize the clocks of both machines with NTP, e.g. chrony');
}

/** Checks whether the operating system synchronizes the clock, where no server's clock can be compared. */
async function checkSynchronization(): Promise<Finding[]> {
  try {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', args, { timeout: responseMs });
    const isSynchronized = stdout.trim() === 'yes';
    const found = isSynchronized ? 'synchronized with NTP' : 'not synchronized with NTP';
    return [finding('clock', found, isSynchronized, 'enable NTP, e.g. timedatectl set-ntp true')];
  } catch {
    return [{ what: 'clock', found: 'not checked: no MySQL, no Redis and no timedatectl on this machine' }];
  }
}

async function checkService({ host, port }: Config): Promise<Finding[]> {
  const isAny = host === '0.0.0.0' || host === '::';
  const url = `http://${isAny ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}/readyz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(responseMs) });
    return [finding('service', `${url} responds with ${response.status}`, response.ok, 'read the log of the service')];
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return [
      problem('service', `${url} does not respond (${cause?.code ?? describeCause(error)})`, 'start the service'),
    ];
  }
}

/** Splits a message such as "the schema is newer: install the newer version" into the finding and its remedy. */
function splitRemedy(error: unknown): [string, string] {
  const [found = '', ...remedy] = describeCause(error).split(': ');
  return [found, remedy.join(': ')];
}

function finding(what: string, found: string, isFine: boolean, remedy: string): Finding {
  return isFine ? { what, found } : problem(what, found, remedy);
}

function problem(what: string, found: string, remedy: string): Finding {
  return { what, found, remedy };
}
