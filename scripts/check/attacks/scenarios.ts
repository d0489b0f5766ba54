import { largeBatches, mcpFlood, slowUploads } from './account-floods.js';
import { clockSetBack } from './clock-set-back.js';
import { erasedData } from './erased-data.js';
import { fullLog } from './full-log.js';
import { halfOpenSockets } from './half-open-sockets.js';
import { hangingHosts } from './hanging-hosts.js';
import { longQueue, longQueueThatHangs } from './long-queues.js';
import { pipelinedRequests } from './pipelined-requests.js';
import { purgedSessions } from './purged-sessions.js';
import type { Scenario } from './scenario.js';
import { sharedHost } from './shared-host.js';
import { silentNameserver } from './silent-nameserver.js';

export const scenarios: readonly Scenario[] = [
  ...[pipelinedRequests, hangingHosts, halfOpenSockets, silentNameserver, purgedSessions, fullLog, clockSetBack],
  ...[longQueue, longQueueThatHangs, sharedHost, erasedData, mcpFlood, slowUploads, largeBatches],
];
