import type { StateReading, Submission } from '../../../src/contract.js';
import { seededRandom } from '../../terminal/scenes.js';
import type { Claim, StreamResponse } from './everyday-claims.js';

/** A service with a manual clock. */
export interface Player {
  now(): number;
  advance(seconds: number): void;
  send(submission: Submission): Promise<StateReading>;
}

/** Plays one stream per seed, each a subject of its own, all of them in parallel. Returns the responses per seed. */
export async function playClaim(player: Player, claim: Claim, seeds: readonly number[]): Promise<StreamResponse[][]> {
  const id = claim.stream.replace(/[^a-z0-9]+/gi, '-');
  const streams = seeds.map((seed) => ({ who: `${id}-${seed}`, readings: claim.readings(seededRandom(seed)) }));
  const responses = seeds.map((): StreamResponse[] => []);
  const seconds = [...new Set(streams.flatMap(({ readings }) => readings.map(({ second }) => second)))];
  let played = 0;
  for (const second of seconds.sort((a, b) => a - b)) {
    player.advance(second - played);
    played = second;
    const timestamp = new Date(player.now()).toISOString();
    const sent = streams.map(async ({ who, readings }, index) => {
      const reading = readings.find((it) => it.second === second);
      if (!reading) return;
      const { second: _, ...signals } = reading;
      const response = await player.send({ session_id: who, subject_id: who, timestamp, ...signals });
      responses[index]?.push({ ...response, second });
    });
    await Promise.all(sent);
  }
  return responses;
}
