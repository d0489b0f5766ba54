import type { HeartStream } from '../../packages/tools/evaluate/protocol/wearers.js';
import type { StreamResponse } from './everyday-claims.js';
import type { Player } from '../../packages/tools/evaluate/scores/replay.js';
import { play } from './everyday.js';

export { type HeartStream, readStreams } from '../../packages/tools/evaluate/protocol/wearers.js';

/** Duration below which a state is short-lived, s. */
const shortSeconds = 60;

/** Sends every stream with a reading every `every` seconds, all people in parallel. Returns the responses per person. */
export function replayStreams(
  player: Player,
  streams: readonly HeartStream[],
  every: number,
  onResponse: () => void,
): Promise<StreamResponse[][]> {
  const thinned = streams.map(({ subject, rows }) => ({
    who: `every-${every}-s-${subject}`,
    readings: rows
      .filter(({ second }) => second % every === 0)
      .map(({ second, heartRate }) => ({ second, heart_rate: heartRate })),
  }));
  return play(player, thinned, onResponse);
}

export interface StreamFigures {
  readonly hours: number;
  readonly changes: number;
  /** Number of states that ended within a minute. */
  readonly short: number;
  readonly states: number;
}

/** A published state, from this second on. */
interface Published {
  readonly second: number;
  readonly state: string;
}

export function figuresOf(responses: readonly Published[]): StreamFigures {
  const starts = responses.filter(({ state }, index) => index === 0 || state !== responses[index - 1]?.state);
  const lengths = starts.slice(1).map(({ second }, index) => second - (starts[index]?.second ?? 0));
  return {
    hours: (responses.at(-1)?.second ?? 0) / 3600,
    changes: starts.length - 1,
    short: lengths.filter((seconds) => seconds < shortSeconds).length,
    states: starts.length,
  };
}

/** Returns the figures of several people together. */
export function sumFigures(figures: readonly StreamFigures[]): StreamFigures {
  const sum = (key: keyof StreamFigures) => figures.reduce((total, it) => total + it[key], 0);
  return { hours: sum('hours'), changes: sum('changes'), short: sum('short'), states: sum('states') };
}

/** Returns the share of seconds in which two replays of one stream publish the same state. */
export function agreementOf(one: readonly Published[], other: readonly Published[]): number {
  const [first, second] = [statesBySecond(one), statesBySecond(other)];
  const length = Math.min(first.length, second.length);
  return first.slice(0, length).filter((state, index) => state === second[index]).length / length;
}

function statesBySecond(responses: readonly Published[]): string[] {
  return responses.flatMap(({ state, second }, index) => {
    const until = responses[index + 1]?.second ?? second + 1;
    return Array<string>(until - second).fill(state);
  });
}
