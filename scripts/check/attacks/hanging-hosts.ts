import { setTimeout as sleep } from 'node:timers/promises';
import { webhookDelivery } from '../../../generated/spec.js';
import { startHangingReceivers } from './hanging-receiver.js';
import type { Scenario } from './scenario.js';

const hosts = 13;
const portsPerHost = 10;
const sessionsPerAccount = 6;
const attackMs = 25_000;
/**
 * An attempt that is open for longer is overdue, ms: the time limit of an attempt, with a margin for a busy machine.
 */
const overdueMs = (webhookDelivery.attempt_timeout_seconds + 6) * 1000;

/** Two accounts send 24 requests, which cause 780 attempts. This is more than the number of slots of a worker. */
export const hangingHosts: Scenario = {
  item: 2,
  title: '130 webhooks of two accounts to hosts that hang',
  async attack({ attacker, accomplice, defer }) {
    const receivers = await startHangingReceivers(hosts, portsPerHost);
    defer(receivers.close);
    const accounts = [attacker, accomplice];
    const half = receivers.urls.length / accounts.length;
    for (const [index, { webhooks }] of accounts.entries())
      for (const url of receivers.urls.slice(index * half, (index + 1) * half)) await webhooks.register(url);
    for (const { swing } of accounts)
      for (let session = 0; session < sessionsPerAccount; session += 1)
        for (let reading = 0; reading < 2; reading += 1) await swing(`hang-${session}`);
    await sleep(attackMs);
    return [
      { what: 'attempts that reached a hanging host', found: receivers.accepted() },
      {
        what: `attempts open for more than ${overdueMs / 1000} s`,
        found: receivers.openLongerThan(overdueMs),
        allowed: 0,
      },
    ];
  },
};
