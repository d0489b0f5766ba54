import { stateHold } from '../packages/score/model.js';

/** Settings of a service that accepts the timestamps of `storyTime`. */
export const storyEnv = { MAX_TIMESTAMP_AGE_SECONDS: '43200' };

/** Age of the first reading of a story, ms. Stories have at most 300 readings. */
const ageMs = 11 * 3_600_000;

/**
 * Returns the timestamp of a reading of a session whose labels alternate. Each reading follows a pause after which no
 * state is held. Without the pause, alternating labels do not change the state.
 */
export function storyTime(startedMs: number, count: number): string {
  return new Date(startedMs - ageMs + count * (stateHold.silence_seconds + 1) * 1000).toISOString();
}

/** Readings of one session of `chapterOf`, few enough for the history of an hour. */
const chapterReadings = 8;

/**
 * Returns the session and timestamp of a reading of a load whose labels alternate. Like `storyTime`, but without an end:
 * a new session starts every few readings. `count` is the number of earlier readings.
 */
export function chapterOf(name: string, count: number): { readonly session_id: string; readonly timestamp: string } {
  const left = chapterReadings - (count % chapterReadings);
  const timestamp = new Date(Date.now() - left * (stateHold.silence_seconds + 1) * 1000).toISOString();
  return { session_id: `${name}-${Math.floor(count / chapterReadings)}`, timestamp };
}
