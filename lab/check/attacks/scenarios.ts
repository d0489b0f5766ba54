import { accountReads } from './account-reads.js';
import { largeBatches, mcpFlood, slowUploads } from './account-floods.js';
import { halfOpenSockets, pipelinedRequests } from './connections.js';
import { costlyPosts } from './costly-posts.js';
import { failingWebhooks } from './failing-webhooks.js';
import { gatewayUploads } from './gateway-uploads.js';
import { hangingHosts, sharedHost, silentNameserver } from './hanging.js';
import { longQueue, longQueueThatHangs } from './long-queues.js';
import { largeAlerts } from './large-alerts.js';
import { largePurge } from './large-purge.js';
import { clientsThatLeave, heldPlaces } from './posts.js';
import type { Scenario } from './scenario.js';

export const scenarios: readonly Scenario[] = [
  ...[pipelinedRequests, hangingHosts, halfOpenSockets, silentNameserver, longQueue, longQueueThatHangs],
  ...[sharedHost, mcpFlood, slowUploads, largeBatches, gatewayUploads, accountReads, failingWebhooks],
  ...[clientsThatLeave, heldPlaces, costlyPosts, largeAlerts, largePurge],
];
