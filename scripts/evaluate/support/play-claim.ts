import type { StateReading, Submission } from '../../../src/contract.js';
import { seededRandom } from '../../../src/terminal/scenes.js';
import type { Claim, StreamReading, StreamResponse } from './everyday-claims.js';

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

async function play(player: Player, streams: readonly Stream[]): Promise<StreamResponse[][]> {
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
    });
    await Promise.all(sent);
  }
  return responses;
}
