import type { TopicName } from '../text/vocabulary.js';
import { heartRise as settings } from './model.js';
import type { FinishedTurn } from './response.js';
import type { HeartRateRise, RecentTurns, Turn } from './rows/session.js';
import { round3 } from './rows/values.js';
import { type FusedStress, toStressValue } from './stress.js';

/** The stress of a turn's topics, newly determined or raised. */
export interface TopicStress extends Omit<Turn, 'expressed'> {
  /** The stress that counted before, 0–100. Absent for a new turn. */
  readonly before?: number | undefined;
}

/** What attribution needs to know about a reading. */
export interface ObservedReading {
  readonly atMs: number;
  /** The heart rate of this reading, in bpm. Undefined if the reading has none. */
  readonly heartRate: number | undefined;
  readonly fused: Pick<FusedStress, 'expressed' | 'heart' | 'explained'>;
}

/** The topics that a turn mentions: as a concern, of these the certain ones, and without a concern. */
export type TurnTopics = Readonly<Record<'topics' | 'certainTopics' | 'calmTopics', readonly TopicName[]>>;

/** What the stress of a reading counts for. */
export interface Credited {
  readonly talk: RecentTurns | undefined;
  readonly credit: TopicStress | undefined;
  readonly calm: TopicStress | undefined;
}

/**
 * Returns the topics that the stress of a reading counts for, and the topics that its turn mentions without a concern. A
 * late reading counts only for its own topics, with its `score`, and so does a reading that is not fused.
 */
export function creditTopics(
  before: RecentTurns | undefined,
  {
    atMs,
    heartRate,
    fused,
  }: Pick<ObservedReading, 'atMs' | 'heartRate'> & { fused: ObservedReading['fused'] | undefined },
  { topics, certainTopics, calmTopics }: TurnTopics,
  score: number,
): Credited {
  const said = { topics, certain: certainTopics };
  const toCalm = (stress: number) =>
    calmTopics.length > 0 ? { topics: calmTopics, certain: [], atMs, stress } : undefined;
  if (fused && !(before && atMs < before.atMs)) {
    const attributed = attributeStress(before, { atMs, heartRate, fused }, said);
    return { ...attributed, calm: toCalm(computeStressAtTurn(attributed.talk, fused)) };
  }
  const credit = topics.length > 0 ? { ...said, atMs, stress: score } : undefined;
  return { talk: before, credit, calm: toCalm(score) };
}

/**
 * Determines which topics the stress of a reading counts for. Voice, face and words count at once for the topics of the
 * same reading. A heart rate rises in the minutes after its cause, so a rise counts for the turn before it, and for no
 * later turn, until the heart rate is low again. `said` contains the topics of the reading's own turn. A reading that
 * is older than the newest one changes nothing.
 */
export function attributeStress(
  before: RecentTurns | undefined,
  observed: ObservedReading,
  said: Pick<Turn, 'topics' | 'certain'> | undefined,
): { readonly talk: RecentTurns | undefined; readonly credit: TopicStress | undefined } {
  const { atMs, fused } = observed;
  const hasTopics = said !== undefined && said.topics.length > 0;
  if (!before && !hasTopics) return { talk: undefined, credit: undefined };
  const talk = followHeart(before ?? { turns: [], atMs }, observed);
  if (hasTopics) {
    const turn = { ...said, atMs, expressed: fused.expressed, stress: computeStressAtTurn(talk, fused) };
    return { talk: { ...talk, turns: [...talk.turns.slice(-1), turn] }, credit: turn };
  }
  return isOld(talk) ? { talk: undefined, credit: undefined } : creditRise(talk, fused);
}

/**
 * Returns the stress that counts for the topics of a turn at once. A rise of the heart rate counts for an earlier turn.
 */
export function computeStressAtTurn(talk: RecentTurns | undefined, fused: ObservedReading['fused']): number {
  const heart = talk?.rise ? Math.min(fused.heart, talk.lowEvidence ?? 0) : fused.heart;
  return computeStress(fused.expressed, heart);
}

/** Follows the heart rate: finds the start of a rise, the turn that it follows, and its end. */
function followHeart(talk: RecentTurns, observed: ObservedReading): RecentTurns {
  const { atMs, heartRate, fused } = observed;
  if (heartRate === undefined) return { ...talk, atMs };
  const seconds = (atMs - talk.atMs) / 1000;
  const share = 1 - Math.exp(-Math.max(1, seconds) / settings.smoothing_seconds);
  const bpm = round3(talk.bpm === undefined ? heartRate : talk.bpm + share * (heartRate - talk.bpm));
  const next = { ...talk, atMs, bpm };
  const { rise } = talk;
  if (rise && !rise.isOver) return { ...next, ...followRise(rise, talk, bpm, atMs) };
  const { lowBpm = bpm } = talk;
  if (bpm - lowBpm >= settings.rise_bpm) {
    const turnMs = turnBefore(talk, atMs - settings.delay_seconds * 1000)?.atMs ?? 0;
    return { ...next, rise: { turnMs, sinceMs: atMs, fromBpm: lowBpm, peakBpm: bpm } };
  }
  const isBack = !rise || isPast(rise, talk.lowEvidence, observed);
  const followed = lowBpm + (bpm - lowBpm) * (1 - Math.exp(-seconds / settings.low_seconds));
  const isLower = bpm <= lowBpm;
  return {
    ...next,
    lowBpm: isLower ? bpm : round3(followed),
    lowEvidence: isBack && (isLower || talk.lowEvidence === undefined) ? round3(fused.heart) : talk.lowEvidence,
    rise: isBack ? undefined : rise,
  };
}

/**
 * Follows a rise until the heart rate has fallen by half of the rise, or has had the time to climb. The rise counts for
 * the next turn if most of it comes after that turn.
 */
function followRise(
  rise: HeartRateRise,
  { turns }: RecentTurns,
  bpm: number,
  atMs: number,
): Pick<RecentTurns, 'rise' | 'lowBpm'> {
  const { climb_seconds, rise_bpm, delay_seconds } = settings;
  const peakBpm = Math.max(rise.peakBpm, bpm);
  const next = turns.find((it) => it.atMs > rise.turnMs);
  const isHere = next !== undefined && atMs - next.atMs >= delay_seconds * 1000;
  const atTurnBpm = next && (rise.atTurnBpm ?? bpm);
  const after = bpm - (atTurnBpm ?? bpm);
  if (isHere && after >= rise_bpm && after > bpm - after - rise.fromBpm)
    return { rise: { turnMs: next.atMs, sinceMs: atMs, fromBpm: bpm - after, peakBpm }, lowBpm: bpm - after };
  const isClimbing = atMs - rise.sinceMs <= climb_seconds * 1000 && bpm > (rise.fromBpm + peakBpm) / 2;
  if (isClimbing) return { rise: { ...rise, peakBpm, atTurnBpm }, lowBpm: rise.fromBpm };
  return { rise: { ...rise, peakBpm, isOver: true }, lowBpm: bpm };
}

/** Returns true once the evidence of the heart, which follows the heart rate late, is as low as before the rise. */
function isPast(
  { sinceMs }: HeartRateRise,
  lowEvidence: number | undefined,
  { atMs, fused }: ObservedReading,
): boolean {
  const { climb_seconds, back_log_odds } = settings;
  return atMs - sinceMs > 2 * climb_seconds * 1000 && fused.heart <= (lowEvidence ?? 0) + back_log_odds;
}

/** Raises the stress of the turn before the rise to that of the present heart rate. */
function creditRise(
  talk: RecentTurns,
  fused: ObservedReading['fused'],
): { readonly talk: RecentTurns; readonly credit: TopicStress | undefined } {
  const turn = talk.turns.find(({ atMs }) => atMs === talk.rise?.turnMs);
  if (!turn || turn.isMeasured || talk.atMs - turn.atMs > settings.window_seconds * 1000)
    return { talk, credit: undefined };
  const stress = computeStress(turn.expressed, Math.max(fused.heart, riseEvidence(talk, fused)));
  if (stress <= turn.stress) return { talk, credit: undefined };
  const raised = { ...turn, stress };
  const turns = talk.turns.map((it) => (it === turn ? raised : it));
  return { talk: { ...talk, turns }, credit: { ...raised, before: turn.stress } };
}

/** Returns the evidence of a rise within minutes, in log-odds. Movement explains a share of the rise. */
function riseEvidence({ bpm = 0, rise }: RecentTurns, { explained }: ObservedReading['fused']): number {
  if (!rise) return 0;
  const { log_odds_per_bpm, log_odds_max, from_bpm } = settings;
  return (1 - explained) * Math.min(log_odds_max, log_odds_per_bpm * Math.max(0, bpm - rise.fromBpm - from_bpm));
}

/** Returns the turns of a session after the response to some turns was measured. No later rise counts for these. */
export function closeTurns(
  talk: RecentTurns | undefined,
  finished: readonly Pick<FinishedTurn, 'atMs' | 'isMeasured'>[],
): RecentTurns | undefined {
  const isClosed = (turn: Turn) => finished.some((it) => it.isMeasured && it.atMs === turn.atMs);
  if (!talk?.turns.some(isClosed)) return talk;
  return { ...talk, turns: talk.turns.map((it) => (isClosed(it) ? { ...it, isMeasured: true } : it)) };
}

/** Returns true if no rise can follow the latest turn any more. */
const isOld = ({ atMs, turns, rise }: RecentTurns): boolean =>
  rise === undefined && atMs - (turns.at(-1)?.atMs ?? 0) > settings.window_seconds * 1000;

/** Returns the newest turn that is at least as old as `untilMs`, otherwise the oldest turn. */
function turnBefore({ turns }: RecentTurns, untilMs: number): Turn | undefined {
  return turns.findLast(({ atMs }) => atMs <= untilMs) ?? turns[0];
}

function computeStress(expressed: number, heart: number): number {
  return Math.round(toStressValue(expressed + heart));
}
