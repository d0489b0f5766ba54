import type { HostFault, HostFitness } from '../store/inspect-host.js';
import { findRemedy, isTransient } from '../store/retry.js';

/** Names a section of the guide with the commands. */
function section(title: string): string {
  return `follow "${title}" of the guide Cluster runbook (docs/cluster-runbook.md, /docs/cluster-runbook)`;
}

/** Advice about a host while another host serves. Undefined if there is nothing to do. */
const whileAnotherServes: Readonly<Record<HostFault, string | undefined>> = {
  unreachable: `start the server: a Galera node joins its cluster automatically. For a new machine, ${section('A node is lost')}`,
  rejected: 'correct the user, the password, the grants or the TLS parameters on this host',
  // A standby is read-only until it becomes the primary.
  'read-only': undefined,
  'no majority':
    'restore the network between this Galera node and the others (ports 4567, 4568 and 4444): it joins automatically',
  joining: 'wait until the Galera node has caught up. Its log reports the progress',
  donor: 'wait: this Galera node is copying its data to another node, and serves only if no other host is usable',
};

/** What to do if no host serves. To start one node of a stopped Galera cluster is not enough, and may lose data. */
const whileNoneServes: Readonly<Record<HostFault, string>> = {
  unreachable: `start the server. If all nodes of a Galera cluster were down, ${section('All nodes are down')}`,
  rejected: 'correct the user, the password, the grants or the TLS parameters on this host',
  'read-only': 'make one of the hosts writable: promote it, or set read_only = OFF',
  'no majority': `do not restart this Galera node: ${section('No majority')}`,
  joining: 'wait until the Galera node has caught up. Its log reports the progress',
  donor: 'wait: this Galera node is copying its data to another node',
};

/** Returns advice about a host, which depends on the other hosts. Undefined if there is nothing to do. */
export function adviseOnHost({ fault }: HostFitness, all: readonly HostFitness[]): string | undefined {
  if (fault === undefined) return undefined;
  const isServed = all.some(({ fitness }) => fitness !== 'unusable');
  // The running nodes of a cluster without a majority decide. The others join them afterwards.
  if (!isServed && fault === 'unreachable' && all.some((it) => it.fault === 'no majority'))
    return `start the server: with a majority, the cluster serves again. If that is impossible, ${section('No majority')}`;
  return (isServed ? whileAnotherServes : whileNoneServes)[fault];
}

const byCode: ReadonlyMap<string | undefined, string> = new Map([
  ['NO_USABLE_HOST', 'make one of the hosts above usable'],
  // A Galera node rejects statements while it is not part of the majority.
  ['ER_UNKNOWN_COM_ERROR', `the Galera node serves no statements: ${section('No majority')}`],
]);

/** Returns advice if the database does not respond as expected. */
export function adviseOnDatabase(error: unknown): string {
  const { code } = error as { code?: string };
  const otherwise = isTransient(error)
    ? 'start the database server, or correct DATABASE_URL'
    : 'read the log of the database, and check that DATABASE_URL names the database of the service';
  return byCode.get(code) ?? findRemedy(error) ?? otherwise;
}
