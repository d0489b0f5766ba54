import { largeBatches, mcpFlood, slowUploads } from './account-floods.js';
import { halfOpenSockets, pipelinedRequests } from './connections.js';
import { fullLog } from './full-log.js';
import { gatewayUploads } from './gateway-uploads.js';
import { hangingHosts, sharedHost, silentNameserver } from './hanging.js';
import { longQueue, longQueueThatHangs } from './long-queues.js';
import type { Scenario } from './scenario.js';
import { erasedPerson, foreignPerson } from './session-tokens.js';
import { clockSetBack, erasedData, purgedSessions } from './stored-data.js';

export const scenarios: readonly Scenario[] = [
  ...[pipelinedRequests, hangingHosts, halfOpenSockets, silentNameserver, purgedSessions, fullLog, clockSetBack],
  ...[longQueue, longQueueThatHangs, sharedHost, erasedData, mcpFlood, slowUploads, largeBatches],
  ...[foreignPerson, erasedPerson, gatewayUploads],
];
