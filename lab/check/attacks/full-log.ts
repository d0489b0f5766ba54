import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owe } from '../../../testkit/owed.js';
import { must, type Row } from '../../../testkit/verdict.js';
import { type Scenario } from './scenario.js';
import { countUnlike, statusOf } from './connections.js';
import { type Stage } from './stage.js';

/**
 * Size of the hole at the start of the log file, bytes. It lets the size limit affect the log, but no database file.
 */
const startBytes = 2 ** 34;

/** Returns the path of a log file whose writes can be made to fail. */
export function createLimitedLog(defer: Stage['defer']): string {
  const folder = mkdtempSync(join(tmpdir(), 'full-log-'));
  defer(owe(async () => rmSync(folder, { recursive: true, force: true })));
  const file = join(folder, 'log');
  writeFileSync(file, '');
  truncateSync(file, startBytes);
  return file;
}

/** Makes every further write of the process to its log fail with EFBIG. */
export function fillLimitedLog(pid: number): void {
  limitFileSize(pid, String(startBytes));
}

/** Sets the maximum size of files that the process writes, in bytes. `unlimited` removes the limit. */
export function limitFileSize(pid: number, bytes: string): void {
  // Changes only the soft limit. After a change of the hard limit, the soft limit could not be raised again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

const probes = 200;
const fullDevice = '/dev/full';

/**
 * Makes every write to standard error fail: with EFBIG while the service runs, and after a restart with ENOSPC from the
 * first write on.
 */
export const fullLog: Scenario = {
  item: 6,
  title: 'log file at its size limit, then log on a full device',
  setUp: (defer) => ({ logFile: createLimitedLog(defer), env: { LOG_LEVEL: 'info' } }),
  prepare: async ({ service }) => fillLimitedLog(service().pid),
  attack: async (stage) => probe(stage, 'at its size limit'),
  async inspect(stage) {
    const first = await stop(stage, 'at its size limit');
    await stage.restart({ logFile: fullDevice });
    return [...first, ...(await probe(stage, 'on a full device')), ...(await stop(stage, 'on a full device'))];
  },
};

async function probe({ service, attacker }: Stage, log: string): Promise<Row[]> {
  const headers = { 'X-Service-Key': attacker.key };
  const url = `${service().url}/v1/state?session_id=none`;
  const refused = await countUnlike(404, probes, () => statusOf(url, headers));
  return [{ what: `requests not served with the log ${log}, of ${probes}`, found: refused, allowed: 0 }];
}

async function stop({ service }: Stage, log: string): Promise<Row[]> {
  const startedAtMs = performance.now();
  const { code } = await service().stop();
  const seconds = (performance.now() - startedAtMs) / 1000;
  return [
    must(`SIGTERM ends the service cleanly with the log ${log}`, code === 0),
    { what: `seconds until the exit with the log ${log}`, found: Number(seconds.toFixed(1)) },
  ];
}
