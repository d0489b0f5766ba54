import type { StateReading, Submission } from '../../src/contract/contract.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import type { Column, TableRow } from '../../packages/tools/terminal/table.js';
import { type Claim, claims, type StreamReading, type StreamResponse } from './everyday-claims.js';

const seeds = [11, 12, 13];

/** A service with a manual clock. */
export interface Player {
  now(): number;
  advance(seconds: number): void;
  send(submission: Submission): Promise<StateReading>;
}

/** Plays one stream per seed in parallel, each with a different subject. Returns the responses per seed. */
export function playClaim(player: Player, claim: Claim, seeds: readonly number[]): Promise<StreamResponse[][]> {
  const id = claim.stream.replace(/[^a-z0-9]+/gi, '-');
  return play(
    player,
    seeds.map((seed) => ({ who: `${id}-${seed}`, readings: claim.readings(seededRandom(seed)) })),
  );
}

/**
 * Plays the stream of one seed once per density, in parallel. A density of 5 sends every fifth heart rate. Returns the
 * responses per density.
 */
export function playDensities(
  player: Player,
  claim: Claim,
  seed: number,
  densities: readonly number[],
): Promise<StreamResponse[][]> {
  const id = claim.stream.replace(/[^a-z0-9]+/gi, '-');
  const readings = claim.readings(seededRandom(seed), 1);
  const thinned = (every: number) =>
    readings.filter(({ second, heart_rate }) => heart_rate === undefined || second % every === 0);
  return play(
    player,
    densities.map((every) => ({ who: `${id}-every-${every}-s`, readings: thinned(every) })),
  );
}

interface Stream {
  readonly who: string;
  readonly readings: readonly StreamReading[];
}

/** Sends each reading of all streams at its `second`, all streams in parallel. Returns the responses per stream. */
export async function play(
  player: Player,
  streams: readonly Stream[],
  onResponse: () => void = () => {},
): Promise<StreamResponse[][]> {
  const responses = streams.map((): StreamResponse[] => []);
  const bySecond = streams.map(({ readings }) => new Map(readings.map((it) => [it.second, it])));
  const seconds = [...new Set(streams.flatMap(({ readings }) => readings.map(({ second }) => second)))];
  let played = 0;
  for (const second of seconds.sort((a, b) => a - b)) {
    player.advance(second - played);
    played = second;
    const timestamp = new Date(player.now()).toISOString();
    const sent = streams.map(async ({ who }, index) => {
      const reading = bySecond[index]?.get(second);
      if (!reading) return;
      const { second: _, ...signals } = reading;
      const response = await player.send({ session_id: who, subject_id: who, timestamp, ...signals });
      responses[index]?.push({ ...response, second });
      onResponse();
    });
    await Promise.all(sent);
  }
  return responses;
}

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
