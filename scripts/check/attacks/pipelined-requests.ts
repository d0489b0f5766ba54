import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';
import { countDescriptors, residentMegabytes } from './service.js';
import { countUnlike, sendAndCut, statusOf } from './sockets.js';

const settleMs = 3_000;
const probes = 20;
/**
 * Tolerance for the number of open file descriptors, because the service may open or close connections of the neighbor.
 */
const descriptorsTolerance = 30;
const documentConnections = 6;
const documentRequests = 3_000;

/**
 * Checks that a closed pipelined connection leaves no queued responses, which would hold request slots and open files.
 */
export const pipelinedRequests: Scenario = {
  item: 1,
  title: 'pipelined requests on connections that are cut',
  async attack({ service, attacker }) {
    const { url, pid } = service();
    const [descriptors, megabytes] = [countDescriptors(pid), residentMegabytes(pid)];
    await sendAndCut(url, 'GET /v1/state HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(2_500));
    const get = 'GET /openapi.json HTTP/1.1\r\nHost: attack\r\n\r\n'.repeat(documentRequests);
    await Promise.all(Array.from({ length: documentConnections }, () => sendAndCut(url, get)));
    await sleep(settleMs);
    const headers = { 'X-Service-Key': attacker.key };
    const refused = await countUnlike(404, probes, () => statusOf(`${url}/v1/state?session_id=none`, headers));
    return [
      { what: `requests refused afterwards, of ${probes}`, found: refused, allowed: 0 },
      { what: 'file descriptors leaked', found: countDescriptors(pid) - descriptors, allowed: descriptorsTolerance },
      { what: 'memory added, MB', found: Math.round(residentMegabytes(pid) - megabytes) },
    ];
  },
};
