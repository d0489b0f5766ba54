import { expect, test } from 'vitest';
import { judgeHost, type HostFitness } from './inspect-host.js';
import { type Address, createMysqlHosts, type HostEvent } from './mysql-hosts.js';

const usable: HostFitness = { fitness: 'usable' };
const dead: HostFitness = { fitness: 'unusable', reason: 'connect ECONNREFUSED' };
const donor: HostFitness = { fitness: 'reserve', reason: 'Donor/Desynced' };
const [a, b, c] = ['a', 'b', 'c'].map((host): Address => ({ host, port: 3306 })) as [Address, Address, Address];
/** Longer than the time between two inspections of the earlier hosts, in ms. */
const longMs = 60_000;

/** Returns hosts with changeable standings and a manual clock. */
function open(...given: readonly HostFitness[]) {
  const standings = new Map([a, b, c].map((it, index) => [it, given[index] ?? usable]));
  const events: HostEvent[] = [];
  const clock = { ms: 0 };
  const inspect = async (address: Address) => standings.get(address) as HostFitness;
  const hosts = createMysqlHosts({
    ...{ addresses: [a, b, c], inspect, now: () => clock.ms },
    onEvent: (event) => events.push(event),
  });
  return { hosts, standings, events, clock };
}

/** Resolves after the inspections in progress. */
const inspected = () => new Promise(setImmediate);

test('the first usable host is chosen, and the skipped hosts are named with their reasons', async () => {
  const { hosts, events } = open(dead, usable);
  expect(hosts.isOutdated()).toBe(true);
  expect(await hosts.choose()).toBe(b);
  expect(hosts.isOutdated()).toBe(false);
  const skipped = ['a:3306: connect ECONNREFUSED'];
  expect(events).toEqual([{ kind: 'selected', host: 'b:3306', previous: undefined, skipped }]);
});

test('after a lost connection the next usable host is chosen, and connections to the previous host are dropped', async () => {
  const { hosts, standings, events } = open();
  await hosts.choose();
  expect(hosts.isCurrent({ host: 'a', port: 3306 })).toBe(true);
  standings.set(a, dead);
  hosts.suspect(b);
  expect(hosts.isOutdated()).toBe(false);
  hosts.suspect(a);
  expect(hosts.isOutdated()).toBe(true);
  expect(await hosts.choose()).toBe(b);
  expect(hosts.isCurrent({ host: 'a', port: 3306 })).toBe(false);
  expect(hosts.isCurrent({ host: 'b', port: 3306 })).toBe(true);
  expect(events.at(-1)).toMatchObject({ kind: 'changed', previous: 'a:3306', host: 'b:3306' });
});

test('a lost connection to a host that is still usable changes nothing', async () => {
  const { hosts, events } = open();
  await hosts.choose();
  hosts.suspect(a);
  expect(await hosts.choose()).toBe(a);
  expect(events.map(({ kind }) => kind)).toEqual(['selected']);
});

test('the processes return to the first host when it is usable again', async () => {
  const { hosts, standings, clock } = open(dead);
  await hosts.choose();
  standings.set(a, usable);
  hosts.isOutdated();
  await inspected();
  expect(hosts.isOutdated()).toBe(false);
  clock.ms += longMs;
  hosts.isOutdated();
  await inspected();
  expect(hosts.isOutdated()).toBe(true);
  expect(await hosts.choose()).toBe(a);
});

test('a node that is copying its data serves only if no other host is usable', async () => {
  const { hosts, standings } = open(donor, usable, dead);
  expect(await hosts.choose()).toBe(b);
  standings.set(b, dead);
  expect(await hosts.choose()).toBe(a);
});

test('of several nodes that are copying their data, the first one serves', async () => {
  const { hosts, standings } = open(dead, donor, donor);
  expect(await hosts.choose()).toBe(b);
  standings.set(a, donor);
  expect(await hosts.choose()).toBe(a);
});

test('without a usable host, the error and one event name every host', async () => {
  const { hosts, standings, events } = open(dead, dead, dead);
  const message = 'no database host is usable: a:3306: connect ECONNREFUSED; b:3306: connect ECONNREFUSED';
  for (let attempt = 0; attempt < 2; attempt += 1)
    await expect(hosts.choose()).rejects.toMatchObject({
      code: 'NO_USABLE_HOST',
      message: expect.stringContaining(message),
    });
  expect(events.map(({ kind }) => kind)).toEqual(['none usable']);
  standings.set(c, usable);
  expect(await hosts.choose()).toBe(c);
  expect(events.at(-1)).toMatchObject({ kind: 'selected', host: 'c:3306' });
  standings.set(c, dead);
  await expect(hosts.choose()).rejects.toThrow('no database host is usable');
  standings.set(c, usable);
  await hosts.choose();
  expect(events.slice(2)).toMatchObject([{ kind: 'none usable' }, { kind: 'usable again', host: 'c:3306' }]);
});

test('concurrent choices inspect each host once', async () => {
  const inspections: Address[] = [];
  const inspect = async (address: Address) => {
    inspections.push(address);
    return usable;
  };
  const hosts = createMysqlHosts({ addresses: [a, b], inspect, onEvent: () => {} });
  await Promise.all([hosts.choose(), hosts.choose(), hosts.choose()]);
  expect(inspections).toEqual([a, b]);
});

const galera = { wsrep_on: 'ON', wsrep_ready: 'ON', wsrep_local_state: '4', wsrep_local_state_comment: 'Synced' };

test.each([
  ['a server without a cluster', { read_only: 'OFF' }, usable],
  ['MariaDB without Galera', { read_only: 'OFF', wsrep_on: 'OFF', wsrep_ready: 'OFF' }, usable],
  ['a replica', { read_only: 'ON' }, { fitness: 'unusable', reason: 'read_only is ON', fault: 'read-only' }],
  [
    'a read-only TiDB',
    { tidb_super_read_only: 'ON' },
    { fitness: 'unusable', reason: 'tidb_super_read_only is ON', fault: 'read-only' },
  ],
  ['a synced Galera node', galera, usable],
  [
    'a Galera node without a majority',
    { ...galera, wsrep_ready: 'OFF', wsrep_local_state_comment: 'Initialized', wsrep_cluster_status: 'non-Primary' },
    { fitness: 'unusable', reason: 'wsrep_ready is not ON (Initialized)', fault: 'no majority' },
  ],
  [
    'a Galera node that joins',
    { ...galera, wsrep_ready: 'OFF', wsrep_local_state_comment: 'Joining', wsrep_cluster_status: 'Primary' },
    { fitness: 'unusable', reason: 'wsrep_ready is not ON (Joining)', fault: 'joining' },
  ],
  [
    'a Galera node that sends its data',
    { ...galera, wsrep_local_state: '2', wsrep_local_state_comment: 'Donor/Desynced' },
    { fitness: 'reserve', reason: 'wsrep_local_state is not Synced (Donor/Desynced)', fault: 'donor' },
  ],
])('%s is judged by its variables', (_, values, standing) => {
  expect(judgeHost(new Map(Object.entries(values)))).toEqual(standing);
});
