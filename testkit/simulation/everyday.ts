import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { type Player, playLive } from '../../packages/tools/evaluate/scores/replay.js';
import { type Column, figureColumns, type TableRow } from '../../packages/tools/terminal/table.js';
import { type Claim, claims, type StreamReading, type StreamResponse } from './everyday-claims.js';

const seeds = [11, 12, 13];

/** Plays one stream per seed in parallel, each with a different subject. Returns the responses per seed. */
export function playClaim(player: Player, claim: Claim, seeds: readonly number[]): Promise<StreamResponse[][]> {
  return play(
    player,
    seeds.map((seed) => ({ who: `${toId(claim)}-${seed}`, readings: claim.readings(seededRandom(seed)) })),
  );
}

/**
 * Plays the stream of one seed once per density, in parallel. A density of 5 sends every fifth heart rate. Returns the
 * responses per density.
 */
function playDensities(
  player: Player,
  claim: Claim,
  seed: number,
  densities: readonly number[],
): Promise<StreamResponse[][]> {
  const readings = claim.readings(seededRandom(seed), 1);
  const thinned = (every: number) =>
    readings.filter(({ second, heart_rate }) => heart_rate === undefined || second % every === 0);
  return play(
    player,
    densities.map((every) => ({ who: `${toId(claim)}-every-${every}-s`, readings: thinned(every) })),
  );
}

function toId({ stream }: Claim): string {
  return stream.replace(/[^a-z0-9]+/gi, '-');
}

interface Stream {
  readonly who: string;
  readonly readings: readonly StreamReading[];
}

/** Sends each reading of all streams at its `second`, all streams in parallel. Returns the responses per stream. */
export async function play(
  player: Player,
  streams: readonly Stream[],
  onAnswer?: () => void,
): Promise<StreamResponse[][]> {
  const toSubmission = ({ second: _, ...signals }: StreamReading, stream: number) => {
    const who = streams[stream]?.who ?? '';
    return { session_id: who, subject_id: who, ...signals };
  };
  const readings = streams.map((it) => it.readings);
  const answers = await playLive(player, readings, toSubmission, onAnswer && { onAnswer });
  return answers.map((its) => its.map(({ reading: { second }, answer }) => ({ ...answer, second })));
}

export const everydayColumns: readonly Column[] = [
  { title: 'stream' },
  { title: 'expected' },
  { title: 'published at the end' },
  ...figureColumns('holds'),
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
