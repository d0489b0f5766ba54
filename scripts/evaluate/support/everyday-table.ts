import type { Column, TableRow } from '../../../src/terminal/table.js';
import { claims, type StreamResponse } from './everyday-claims.js';
import { playClaim, playDensities, type Player } from './play-claim.js';

const seeds = [11, 12, 13];

export const everydayColumns: readonly Column[] = [
  { title: 'stream' },
  { title: 'expected' },
  { title: 'published at the end' },
  { title: 'holds', align: 'right' },
];

/** Returns one row per claim: the result of the first seed, and the number of seeds in which the claim holds. */
export async function everydayRows(player: Player): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for (const claim of claims) {
    const responses = await playClaim(player, claim, seeds);
    const held = responses.filter((it) => claim.holds(it)).length;
    rows.push([claim.stream, claim.expected, endOf(responses[0] ?? []), `${held} of ${seeds.length}`]);
  }
  return rows;
}

function endOf(responses: readonly StreamResponse[]): string {
  const last = responses.at(-1);
  return last ? `${last.stress_score} ${last.state}` : '';
}

/** Replays every stream at all densities, each with one seed. Returns the responses per density and stream. */
export async function replayEveryday(
  player: Player,
  densities: readonly number[],
): Promise<Map<number, StreamResponse[][]>> {
  const replays = new Map(densities.map((every) => [every, [] as StreamResponse[][]]));
  for (const claim of claims) {
    const responses = await playDensities(player, claim, seeds[0] ?? 0, densities);
    densities.forEach((every, index) => replays.get(every)?.push(responses[index] ?? []));
  }
  return replays;
}
