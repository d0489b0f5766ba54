import type { HostFitness } from './inspect-host.js';

/** Host and port of a database server. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A change of the host that the pool uses. All texts are free of credentials. */
export type HostEvent =
  | {
      /** `selected` at the first connection. `usable again` after an outage of all hosts, if the host is the same. */
      readonly kind: 'selected' | 'changed' | 'usable again';
      readonly host: string;
      readonly previous: string | undefined;
      /** The hosts before it in the list, each with the reason why it is not used. */
      readonly skipped: readonly string[];
    }
  | { readonly kind: 'none usable'; readonly skipped: readonly string[] };

export interface MysqlHostsOptions<A extends Address> {
  /** In the order of preference. */
  readonly addresses: readonly A[];
  readonly inspect: (address: A) => Promise<HostFitness>;
  readonly onEvent: (event: HostEvent) => void;
  /** A monotonic clock in ms. Tests replace it. */
  readonly now?: () => number;
}

/** Minimum time between two inspections of the earlier hosts, in ms. */
const lookEveryMs = 2_000;

/** Thrown if no host is usable. The message has a reason for each host. */
export class NoUsableHostError extends Error {
  readonly code = 'NO_USABLE_HOST';

  constructor(readonly reasons: readonly string[]) {
    super(`no database host is usable: ${reasons.join('; ')}`);
  }
}

export type MysqlHosts<A extends Address> = ReturnType<typeof createMysqlHosts<A>>;

/**
 * Chooses the host that all connections of a pool use: the first usable one of a list. Every process with the same list
 * therefore writes to the same host. After a failure, the choice is made again. While a host in use is not the first one,
 * the earlier hosts are inspected again from time to time, so that the processes return to the first host.
 */
export function createMysqlHosts<A extends Address>(options: MysqlHostsOptions<A>) {
  const { onEvent, now = () => performance.now() } = options;
  let current: A | undefined;
  let isFirstChoice = false;
  let isSuspected = true;
  let isOut = false;
  let choosing: Promise<A> | undefined;
  let lookedAtMs = 0;

  const decide = async (): Promise<A> => {
    const { chosen, isPreferred, skipped } = await findFirst(options);
    lookedAtMs = now();
    if (chosen === undefined) {
      if (!isOut) onEvent({ kind: 'none usable', skipped });
      isOut = true;
      throw new NoUsableHostError(skipped);
    }
    const previous = current;
    [current, isFirstChoice, isSuspected] = [chosen, isPreferred, false];
    const hasChanged = previous !== chosen || isOut;
    isOut = false;
    const kind = previous === undefined ? 'selected' : previous === chosen ? 'usable again' : 'changed';
    if (hasChanged)
      onEvent({ kind, host: describeHost(chosen), previous: previous && describeHost(previous), skipped });
    return chosen;
  };
  /** Inspects the hosts and resolves with the first usable one. Rejects with NoUsableHostError. */
  const choose = () => (choosing ??= decide().finally(() => (choosing = undefined)));

  /** Does not delay the caller: an unreachable host takes a second. */
  const lookForEarlier = () => {
    if (isFirstChoice || current === undefined || now() < lookedAtMs + lookEveryMs) return;
    lookedAtMs = now();
    const before = current;
    choose()
      .then((chosen) => void (isSuspected ||= chosen !== before))
      .catch(() => undefined);
  };

  return {
    choose,
    /** Returns true if the next connection requires a new choice. */
    isOutdated(): boolean {
      if (!isSuspected) lookForEarlier();
      return isSuspected;
    },
    /** Returns true if connections to this address may still be used. */
    isCurrent: ({ host, port }: Partial<Address>): boolean => current?.host === host && current?.port === port,
    /** Requires a new choice, e.g. after a lost connection. `address`: only if this host is in use. */
    suspect(address?: Address): void {
      if (address === undefined || address === current) isSuspected = true;
    },
  };
}

/**
 * Inspects all hosts at the same time. Does not wait for a host behind a usable one. `chosen` is undefined if no host can
 * be used. `isPreferred` is true for the first host of the list.
 */
async function findFirst<A extends Address>({ addresses, inspect }: MysqlHostsOptions<A>) {
  const inspections = addresses.map((address) => inspect(address));
  const skipped: string[] = [];
  let reserve: A | undefined;
  for (const [index, address] of addresses.entries()) {
    const { fitness, reason } = (await inspections[index]) as HostFitness;
    if (fitness === 'usable') return { chosen: address, isPreferred: index === 0, skipped };
    skipped.push(`${describeHost(address)}: ${reason}`);
    if (fitness === 'reserve') reserve ??= address;
  }
  return { chosen: reserve, isPreferred: false, skipped };
}

/** Returns e.g. `db1.example:3306`. */
export function describeHost({ host, port }: Address): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
