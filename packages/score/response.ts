import { triggers as contract } from './generated/contract.js';
import { heartRise, turnResponse as settings } from './model.js';
import type { HeartResponse, OpenTurn, PersonTurns } from './rows/person.js';
import type { StressSums } from './rows/trigger.js';
import { round3 } from './rows/values.js';
import { type FusedStress, toStressValue } from './stress.js';
import { addTurnToKnown, findLowestScore, isUsual, type KnownTurns, type UsualTurn } from './usual.js';

/** What following the turns of a person needs to know about a reading. */
export interface FollowedReading {
  readonly atMs: number;
  readonly sessionId: string;
  /** The heart rate of this reading, in bpm. Undefined if the reading has none. */
  readonly heartRate: number | undefined;
  /** The newest smoothed heart rate that the reading is scored with. Undefined if it is stale. */
  readonly level: HeartLevel | undefined;
  readonly fused: Pick<FusedStress, 'expressed' | 'explained'>;
  /** False if sessions of the person do not share signals. */
  readonly isShared: boolean;
}

/** A smoothed heart rate in bpm, and the time of its newest heart rate in epoch ms. */
export interface HeartLevel {
  readonly bpm: number;
  readonly atMs: number;
}

/** The conversation turn of a reading: its topics, and the stress that counts for them at once. */
export type SaidTurn = Pick<OpenTurn, 'topics' | 'calmTopics' | 'stress'>;

/** A turn with its complete stress. */
export interface FinishedTurn extends SaidTurn, UsualTurn, Pick<OpenTurn, 'sessionId'> {
  /** True if the response of the heart was measured. No later rise counts for the turn then. */
  readonly isMeasured: boolean;
  /** Stress of its sightings, 0–100: without a rise, a heart that was fast before the turn does not count for its topics. */
  readonly settled: number;
}

interface FollowedTurns {
  readonly turns: PersonTurns;
  readonly finished: readonly FinishedTurn[];
}

/**
 * Follows the open turns of a person over all sessions. Returns the turns that are complete with this reading. A turn
 * without a live heart rate is complete at once. `said` is the turn of this reading.
 */
export function followTurns(
  before: PersonTurns = {},
  reading: FollowedReading,
  said: SaidTurn | undefined,
): FollowedTurns {
  const heartAtMs = reading.heartRate === undefined ? before.heartAtMs : Math.max(before.heartAtMs ?? 0, reading.atMs);
  const open = (before.open ?? []).map((turn, index, all) =>
    isOver(turn, all[index + 1], reading) ? turn : addResponse(turn, reading, before.heartAtMs),
  );
  if (said) open.push(startTurn(said, reading));
  const isEarlier = (index: number) => index < open.length - settings.open_max;
  const complete = open.filter(
    (turn, index) => isEarlier(index) || isOver(turn, open[index + 1], reading) || isComplete(turn, reading),
  );
  const rest = open.filter((turn) => !complete.includes(turn));
  return finishTurns(before, complete, rest, heartAtMs);
}

/** Completes the open turns until `atMs` with what was measured so far. */
export function endTurns(before: PersonTurns, atMs: number): FollowedTurns {
  const { open = [], heartAtMs } = before;
  const isEarlier = (turn: OpenTurn) => turn.atMs <= atMs;
  return finishTurns(
    before,
    open.filter(isEarlier),
    open.filter((turn) => !isEarlier(turn)),
    heartAtMs,
  );
}

function finishTurns(
  { all, calm, rise, calmInRow }: KnownTurns,
  complete: readonly OpenTurn[],
  open: readonly OpenTurn[],
  heartAtMs: number | undefined,
): FollowedTurns {
  const finished: FinishedTurn[] = [];
  let known: KnownTurns = { all, calm, rise, calmInRow };
  for (const turn of complete) {
    const fromBpm = findLevelBefore(turn, known.rise);
    const it = finishTurn(turn, fromBpm, known);
    finished.push(it);
    known = addTurnToKnown(known, it, fromBpm);
  }
  return { turns: open.length > 0 ? { open, heartAtMs, ...known } : known, finished };
}

/** Returns the heart rate before a turn. While an earlier rise may last, it is that before the rise. */
function findLevelBefore({ atMs, levelBpm }: OpenTurn, rise: PersonTurns['rise']): number {
  const isAfterRise = rise && atMs > rise.atMs && atMs - rise.atMs <= heartRise.window_seconds * 1000;
  return isAfterRise ? Math.min(rise.fromBpm, levelBpm) : levelBpm;
}

function startTurn(said: SaidTurn, { atMs, sessionId, level, fused }: FollowedReading): OpenTurn {
  return { atMs, sessionId, ...said, expressed: round3(fused.expressed), levelBpm: round3(level?.bpm ?? 0) };
}

/** Returns true if the reading belongs to the response of the next turn. A response has at least one reading. */
function isOver({ response }: OpenTurn, next: OpenTurn | undefined, { atMs }: FollowedReading): boolean {
  return response !== undefined && next !== undefined && atMs > next.atMs + settings.level_until_seconds * 1000;
}

/** Adds a heart rate to the response of an open turn. Movement explains a share of a rise, so it counts less. */
function addResponse(turn: OpenTurn, reading: FollowedReading, heartAtMs: number | undefined): OpenTurn {
  const { atMs, heartRate, level, fused, sessionId, isShared } = reading;
  const beforeMs = Math.max(heartAtMs ?? 0, turn.atMs);
  if (heartRate === undefined || atMs <= beforeMs || !(isShared || sessionId === turn.sessionId)) return turn;
  const since = (atMs - turn.atMs) / 1000;
  if (since <= settings.level_until_seconds) return level ? { ...turn, levelBpm: round3(level.bpm) } : turn;
  if (since <= settings.from_seconds || since > settings.until_seconds) return turn;
  const elapsed = Math.min(since - settings.from_seconds, (atMs - beforeMs) / 1000);
  const duration = Math.min(settings.reading_seconds_max, elapsed);
  const still = (1 - fused.explained) * duration;
  const { seconds, stillSeconds, bpmSeconds } = turn.response ?? noResponse;
  const response = {
    seconds: round3(seconds + duration),
    stillSeconds: round3(stillSeconds + still),
    bpmSeconds: round3(bpmSeconds + still * heartRate),
  };
  return { ...turn, response };
}

const resolvedBelow = findLowestScore(contract.resolved_below_state);
const noResponse: HeartResponse = { seconds: 0, stillSeconds: 0, bpmSeconds: 0 };

function isComplete(turn: OpenTurn, reading: FollowedReading): boolean {
  if (reading.atMs - turn.atMs >= settings.until_seconds * 1000) return true;
  return turn.atMs === reading.atMs && turn.sessionId === reading.sessionId && !reading.level;
}

function finishTurn(turn: OpenTurn, fromBpm: number, known: KnownTurns): FinishedTurn {
  const { expressed, levelBpm, response = noResponse, ...said } = turn;
  const { seconds, stillSeconds, bpmSeconds } = response;
  const { log_odds_per_bpm, log_odds_max, lasting_share, expressed_share } = settings;
  const comparedBpm = levelBpm - lasting_share * (levelBpm - fromBpm);
  const bpm = stillSeconds > 0 ? bpmSeconds / stillSeconds - comparedBpm : 0;
  const heart = Math.min(log_odds_max, Math.max(-log_odds_max, log_odds_per_bpm * bpm));
  const weight = seconds > 0 ? stillSeconds / seconds : 1;
  const isRisen = bpm >= heartRise.rise_bpm;
  const settle = isRisen ? Math.max : Math.min;
  const isMeasured = seconds > 0;
  const settled = isMeasured ? settle(said.stress, Math.round(toStressValue(expressed + heart))) : said.stress;
  const measured = round3(toStressValue((isMeasured ? expressed_share : 1) * expressed + heart));
  const isCalm = isMeasured ? !isRisen && isUsual(known, measured) : settled < resolvedBelow;
  return { ...said, measured, weight, isMeasured, settled, isRisen, isCalm };
}

/** Replaces the stress of the sightings of an open turn, after a rise of its own session raised it. */
export function raiseOpenTurn(
  turns: PersonTurns,
  raised: { readonly atMs: number; readonly stress: number },
  sessionId: string,
): PersonTurns {
  const isRaised = (it: OpenTurn) => it.atMs === raised.atMs && it.sessionId === sessionId;
  return { ...turns, open: turns.open?.map((it) => (isRaised(it) ? { ...it, stress: raised.stress } : it)) };
}

/** Returns true if enough other turns of the person are known to compare a topic with. */
export function isComparable(person: PersonTurns | undefined, own: StressSums | undefined): boolean {
  return (person?.all?.turns ?? 0) - (own?.turns ?? 0) >= contract.other_turns_min;
}
