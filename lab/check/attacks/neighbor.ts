import { setTimeout as sleep } from 'node:timers/promises';
import { draw, type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { type Counts, type Phase, watchChanges } from '../shared/changes.js';
import type { Sender } from '../shared/load.js';

const sessionCount = 10;
/** Interval between readings of one session, ms. */
const paceMs = 400;
const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Another account of the attacked service. It sends readings at a constant rate and receives a webhook for each state
 * change.
 */
export interface Neighbor {
  /** A URL with the host and port of the neighbor's receiver. It never responds. */
  readonly hangingUrl: string;
  /** Sends readings for at least `ms` and until the work is complete. */
  measure(ms: number, work?: Promise<unknown>): Promise<Phase>;
  close(): void;
}

/** Creates the neighbor. `now` is the clock of the service. */
export async function startNeighbor(options: Parameters<typeof watchChanges>[0], now: () => number): Promise<Neighbor> {
  const { measure, hangingUrl, close } = await watchChanges(options);
  const random = seededRandom(1);
  let phases = 0;
  /** A session has a calm and a hostile reading, because a calm reading that follows at once changes no state. */
  const alternate =
    (name: string): Sender =>
    (count) => {
      const [session_id, timestamp] = [`${name}-${Math.floor(count / 2)}`, new Date(now()).toISOString()];
      return [{ session_id, timestamp, ...draw(count % 2 === 0 ? calm : hostile, random) }];
    };
  return {
    ...{ hangingUrl, close },
    measure(ms, work) {
      phases += 1;
      // Each phase uses new sessions. After a clock is set back, readings of an earlier session would be late.
      const names = Array.from({ length: sessionCount }, (_, index) => `neighbor-${phases}-${index}`);
      const load = { senders: names.map(alternate), random, paceMs, isRefusalCounted: true };
      return measure(load, () => Promise.all([sleep(ms), work]));
    },
  };
}

/** Returns findings that pass if every request of the neighbor got a 200. */
export function findingsOf({ acknowledged, lost, changes, missing, failures }: Counts): Row[] {
  return [
    { what: "neighbor's readings acknowledged", found: acknowledged },
    ...Object.entries(failures).map(([why, found]) => ({
      what: `neighbor's requests that failed: ${why}`,
      ...{ found, allowed: 0 },
    })),
    { what: "neighbor's acknowledged readings lost", found: lost, allowed: 0 },
    { what: "neighbor's state changes", found: changes, allowed: atLeast(1) },
    { what: "neighbor's webhooks that did not arrive in time", found: missing.length, allowed: 0 },
  ];
}
