import { draw, type Scene, scenes } from '../../../packages/tools/terminal/scenes.js';
import type { Submission } from '../../../src/contract/contract.js';
import { chapterOf } from '../../../testkit/story.js';
import type { Sender } from '../shared/load.js';

/** In every n-th round, all services get the same reading instead of different ones. */
const sameEvery = 4;

const calm = scenes[0] as Scene;
const hostile = scenes.at(-1) as Scene;

/**
 * Returns a sender of readings that alternate between calm and hostile, for a load that is spread over `services`. In each
 * round, all services get a reading of the same session at the same time, usually different readings, sometimes the same
 * one. A new session starts every few rounds. In the end, every reading is sent again, to a different service. The services
 * require `storyEnv`.
 *
 * All readings contain the same kinds of signals. A late reading is therefore the newest for no signal and changes
 * nothing.
 */
export function spread(name: string, readings: number, services: number, random: () => number): Sender {
  const rounds: Submission[][] = [];
  let left = readings;
  const startRound = (): Submission[] => {
    const turn = rounds.length;
    const { session_id, timestamp: first } = chapterOf(name, turn);
    const isSame = turn % sameEvery === sameEvery - 1;
    const round = Array.from({ length: isSame ? 1 : Math.min(services, left) }, (_, index) => {
      const timestamp = new Date(Date.parse(first) + index).toISOString();
      return { session_id, timestamp, ...draw(turn % 2 === 0 ? calm : hostile, random) };
    });
    left -= round.length;
    rounds.push(round);
    return isSame ? Array<Submission>(services).fill(round[0] as Submission) : round;
  };
  return () => {
    if (left > 0) return startRound();
    const again = rounds.shift() ?? [];
    return again.length === 0
      ? []
      : Array.from({ length: services }, (_, at) => again[(at + 1) % again.length] as Submission);
  };
}
