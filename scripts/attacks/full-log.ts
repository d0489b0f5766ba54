import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { owe } from '../../contract-tests/support/owed.js';
import { type Finding, must } from './finding.js';
import type { Scenario } from './scenario.js';
import { countUnlike, statusOf } from './sockets.js';
import type { Stage } from './stage.js';

/** The log begins behind so much empty space that its size limit reaches no database file. */
const startBytes = 2 ** 34;
const probes = 200;
const fullDevice = '/dev/full';

/** Every write to standard error fails: first with EFBIG from one moment on, then with ENOSPC from the start. */
export const fullLog: Scenario = {
  item: 6,
  title: 'log file at its size limit, then log on a full device',
  setUp(defer) {
    const folder = mkdtempSync(join(tmpdir(), 'full-log-'));
    defer(owe(async () => rmSync(folder, { recursive: true, force: true })));
    const logFile = join(folder, 'log');
    writeFileSync(logFile, '');
    truncateSync(logFile, startBytes);
    return { logFile, env: { LOG_LEVEL: 'info' } };
  },
  async prepare({ service }) {
    execFileSync('prlimit', ['--pid', String(service().pid), `--fsize=${startBytes}`]);
  },
  attack: async (stage) => probe(stage, 'at its size limit'),
  async inspect(stage) {
    const first = await stop(stage, 'at its size limit');
    await stage.restart({ logFile: fullDevice });
    return [...first, ...(await probe(stage, 'on a full device')), ...(await stop(stage, 'on a full device'))];
  },
};

async function probe({ service, attacker }: Stage, log: string): Promise<Finding[]> {
  const headers = { 'X-Service-Key': attacker.key };
  const url = `${service().url}/v1/state?session_id=none`;
  const refused = await countUnlike(404, probes, () => statusOf(url, headers));
  return [{ what: `requests of ${probes} not served with the log ${log}`, found: refused, allowed: 0 }];
}

async function stop({ service }: Stage, log: string): Promise<Finding[]> {
  const { by, seconds } = await service().stop();
  return [
    must(`SIGTERM ends the service in order with the log ${log}`, by === 0),
    { what: `seconds to end with the log ${log}`, found: Number(seconds.toFixed(1)) },
  ];
}
