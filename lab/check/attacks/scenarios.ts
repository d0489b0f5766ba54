import { batch, limits } from '../../../generated/spec.js';
import { connections, prepareReads } from './account-reads.js';
import { askAsAgents, endlessStreams, parallelAgents } from './agents.js';
import * as devices from './devices.js';
import { failWebhooks, webhooksPerAccount } from './failing-webhooks.js';
import { people, prepareAlerts } from './large-alerts.js';
import { few, many, preparePurge } from './large-purge.js';
import * as posts from './posts.js';
import * as requests from './requests.js';
import type { Scenario } from './scenario.js';
import * as receivers from './slow-receivers.js';

/** All attacks, each with its bound for the neighbor. What an attack measures has its bound beside the measurement. */
export const scenarios: readonly Scenario[] = [
  { item: 1, title: 'pipelined requests on connections that are cut', attack: requests.pipelineRequests },
  { item: 2, title: '130 webhooks of two accounts to hosts that hang', attack: receivers.deliverToHangingHosts },
  {
    item: 3,
    title: '120 silent senders that ignore the FIN, of 100 connections',
    setUp: () => ({ env: { MAX_CONNECTIONS: String(requests.connectionsMax) } }),
    attack: requests.leaveSocketsHalfOpen,
  },
  {
    item: 4,
    title: '60 webhooks to names whose nameserver does not respond',
    setUp: receivers.startNameserver,
    attack: receivers.lookUpSilentNames,
  },
  {
    item: 8,
    title: '100,000 due deliveries for one receiver',
    neighborRatioMax: 2,
    prepare: receivers.prepareLongQueue,
  },
  {
    item: 8,
    title: '100,000 due deliveries for one receiver that hangs',
    neighborRatioMax: 2,
    prepare: receivers.prepareHangingQueue,
  },
  { item: 9, title: "another account's webhooks hang on the neighbor's host", attack: receivers.hangOnSharedHost },
  {
    item: 16,
    title: `${requests.parallelFloods} parallel senders to /mcp, also of JSON arrays`,
    neighborRatioMax: 10,
    attack: requests.floodMcp,
  },
  {
    item: 18,
    title: `${requests.slowAccounts * limits.batches.quota} slow uploads of batches by ${requests.slowAccounts} accounts`,
    attack: requests.uploadSlowly,
  },
  {
    item: 19,
    title: `${limits.batches.quota} parallel batches of ${batch.lines_max} lines`,
    attack: requests.sendLargeBatches,
  },
  { item: 32, title: '20 uploads of 31 MB to the gateway with invalid keys', attack: posts.uploadToGateway },
  {
    item: 53,
    title: `${connections} connections of one account with long reads`,
    limitMs: 300_000,
    prepare: prepareReads,
  },
  {
    item: 54,
    title: `${webhooksPerAccount} failing webhooks in each of two accounts, all cores busy`,
    attack: failWebhooks,
  },
  {
    item: 57,
    title: `${posts.leavingClients} large posts to sources whose clients leave`,
    neighborRatioMax: 10,
    prepare: posts.preparePosts,
  },
  {
    item: 57,
    title: `slow posts of ${posts.slowPosters} accounts, and of a hub without a signature`,
    neighborRatioMax: 10,
    attack: posts.holdPlaces,
  },
  { item: 57, title: 'bodies of a source that cost CPU', neighborRatioMax: 10, attack: posts.postCostlyBodies },
  {
    item: 60,
    title: `purge of ${many.toLocaleString('en-US')} readings of an account beside ${few} of another account`,
    neighborRatioMax: 2,
    // The hours of a person would keep the readings until they are stored.
    setUp: () => ({ env: { RETENTION_SUMMARY_DAYS: '0' } }),
    prepare: preparePurge,
  },
  {
    item: 75,
    title: `alert rules of ${people.toLocaleString('en')} live people beside three small accounts`,
    limitMs: 600_000,
    prepare: prepareAlerts,
  },
  {
    item: 81,
    title: `${parallelAgents} agents (A2A) ask for a foreign person, beside ${endlessStreams} streams that never end`,
    neighborRatioMax: 10,
    setUp: () => ({ env: { PUBLIC_URL: 'https://state.example.com' } }),
    attack: askAsAgents,
  },
  {
    item: 81,
    title: `${devices.parallelThieves} senders use the device of another account and of another person`,
    neighborRatioMax: 10,
    setUp: () => ({ env: { PUBLIC_URL: 'https://state.example.com' } }),
    attack: devices.useForeignDevice,
  },
  { item: 81, title: 'people whose ids are topics with + # / are published by MQTT', attack: devices.publishOddTopics },
];
