import { type Finding, must } from './finding.js';
import { createLimitedLog, fillLimitedLog } from './limited-log.js';
import type { Scenario } from './scenario.js';
import { countUnlike, statusOf } from './sockets.js';
import type { Stage } from './stage.js';

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

async function probe({ service, attacker }: Stage, log: string): Promise<Finding[]> {
  const headers = { 'X-Service-Key': attacker.key };
  const url = `${service().url}/v1/state?session_id=none`;
  const refused = await countUnlike(404, probes, () => statusOf(url, headers));
  return [{ what: `requests not served with the log ${log}, of ${probes}`, found: refused, allowed: 0 }];
}

async function stop({ service }: Stage, log: string): Promise<Finding[]> {
  const { by, seconds } = await service().stop();
  return [
    must(`SIGTERM ends the service cleanly with the log ${log}`, by === 0),
    { what: `seconds until the exit with the log ${log}`, found: Number(seconds.toFixed(1)) },
  ];
}
