import { bands, disclaimer, raised as causes } from '../../generated/spec.js';
import { adviseOnDanger, describeCheck, type MessageCheck } from '../../packages/text/check-message.js';
import type { Schema, StateReading } from './contract.js';
import { rateFreshness, staleAfterMs, weighByAge } from '../../packages/score/evidence.js';
import { explainNoEvidence, neutralReason } from '../../packages/score/reason.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import { findBand, listContributions, scoreWithoutParts } from '../../packages/score/states.js';

/**
 * Returns a computed state as the response that the contract defines. `check` is the check of the message in the
 * request, also of a resent one.
 */
export function toStateReading(sessionId: string, computed: ComputedState, check?: MessageCheck): StateReading {
  const { state } = findBand(computed.score);
  const readable = computed.dropped?.includes('user_message') ? undefined : check;
  const found = readable && adviseOnDanger(readable);
  return {
    hsp_version: '1.0',
    session_id: sessionId,
    timestamp: new Date(computed.timestampMs).toISOString(),
    state,
    stress_score: computed.score,
    confidence: computed.confidence,
    ...toEvidence(found ? { ...computed, isWeak: undefined } : computed),
    ...toRaised(computed),
    ...toStateSince(computed),
    signals_received: [...computed.received],
    ...describeAdvice(computed),
    ...found,
    action_reason: found && computed.isWeak ? neutralReason : computed.reason,
    model_version: computed.model,
    baseline: {
      status: computed.learned < 1 ? 'learning' : 'known',
      progress: computed.learned,
      ...(computed.known !== undefined && { own_share: computed.known }),
    },
    ...toEffectiveness(computed),
    ...(computed.rrQuality && { rr_quality: computed.rrQuality }),
    ...(computed.derived && { derived: computed.derived }),
    ...(computed.dropped && { signals_dropped: [...computed.dropped] }),
    ...(computed.shared && { shared_signals: [...computed.shared] }),
    topics_detected: [...(computed.topics ?? [])],
    ...(readable && describeCheck(readable)),
    ...(computed.triggers && {
      active_triggers: [...(computed.triggers.active ?? [])],
      resolved_triggers: [...(computed.triggers.resolved ?? [])],
    }),
    disclaimer,
  };
}

/** Returns since when a state holds, as a field of a response. An unknown state holds since no time. */
export function toStateSince({ sinceMs, confidence }: ComputedState): Pick<StateReading, 'state_since'> {
  return sinceMs === undefined || confidence === 0 ? {} : { state_since: new Date(sinceMs).toISOString() };
}

type Rated = Pick<ComputedState, 'confidence' | 'isWeak'>;

/** Returns the field of a response that says whether a state is unknown. `confidence` is that of the reading. */
export function toEvidence({ confidence, isWeak }: Rated): Pick<StateReading, 'evidence'> {
  if (confidence === 0) return { evidence: 'none' };
  return isWeak ? { evidence: 'weak' } : {};
}

/** Returns the score that was published before the person disputed it, as a field of a response. */
export function toScoredBefore({ undisputed }: Pick<ComputedState, 'undisputed'>) {
  return undisputed && undisputed.confidence > 0 ? { scored_before: undisputed.score } : {};
}

/** Returns what a raised heart rate can mean, as a field of a response. */
export function toRaised({ raised }: Pick<ComputedState, 'raised'>): Pick<StateReading, 'raised'> {
  return raised ? { raised: { since: new Date(raised.sinceMs).toISOString(), likely: raised.likely } } : {};
}

/** Returns the comparison with the previous score, as a field of a response. Absent without evidence. */
export function toEffectiveness({
  previousScore,
  score,
  confidence,
}: ComputedState): Pick<StateReading, 'adaptation_effectiveness'> {
  if (previousScore === undefined || confidence === 0) return {};
  return { adaptation_effectiveness: compareEffectiveness(previousScore, score) };
}

/** Returns what a score consists of, and the state without each part, as fields of a response. */
export function toContributions(computed: ComputedState): Pick<StateReading, 'contributions' | 'without'> {
  const { points, score } = computed;
  if (!points) return {};
  const contributions = listContributions(points, score);
  if (toEvidence(computed).evidence) return { contributions };
  const without = Object.entries(scoreWithoutParts(points, score)).map(([name, { score: left, evidence }]) => [
    name,
    { state: findBand(left).state, stress_score: left, ...(evidence && { evidence }) },
  ]);
  return { contributions, without: Object.fromEntries(without) };
}

/** Returns what an agent can do about a score. Nothing is recommended without evidence, or for words that say nothing. */
export function describeAdvice({
  score,
  raised,
  ...rated
}: Rated & Pick<ComputedState, 'score' | 'raised'>): Pick<StateReading, 'suggested_action' | 'recommendation'> {
  const { suggested_action, recommendation } = findBand(score);
  if (toEvidence(rated).evidence !== undefined) return { suggested_action: bands[0].suggested_action };
  const cause = raised && suggested_action !== bands[0].suggested_action ? causes[raised.likely] : {};
  const alternatives = 'recommendation' in cause ? ` ${cause.recommendation}` : '';
  return { suggested_action, recommendation: recommendation + alternatives };
}

/** Returns a confidence, 0–1, at an age, in ms. After some seconds, it falls like the weight of a signal, to 0 for a stale state. */
export function reduceConfidenceByAge(confidence: number, ageMs: number): number {
  return Math.round(confidence * rateFreshness(weighByAge(ageMs)) * 100) / 100;
}

/**
 * Returns the state after a reading that is accepted at `atMs`. Its confidence is that of this time, and at least 0.01:
 * only a reading without evidence has 0.
 */
export function ageAccepted({ alone, ...computed }: ComputedState, atMs: number): ComputedState {
  const age = <S extends Pick<ComputedState, 'confidence'>>(scored: S): S => {
    const confidence = reduceConfidenceByAge(scored.confidence, atMs - computed.timestampMs);
    return { ...scored, confidence: scored.confidence > 0 ? Math.max(0.01, confidence) : 0 };
  };
  return { ...age(computed), ...(alone && { alone: age(alone) }) };
}

/** Returns a state at an age, in ms. The score does not decay, but nothing is recommended for an outdated state. */
export function ageReading(reading: StateReading, ageMs: number): StateReading {
  const { evidence, stress_score: score } = reading;
  const reduced = reduceConfidenceByAge(reading.confidence, ageMs);
  const confidence = evidence === 'weak' && ageMs < staleAfterMs ? Math.max(0.01, reduced) : reduced;
  if (confidence > 0 || evidence === 'none') return { ...reading, confidence };
  const { recommendation: _, evidence: __, raised: ___, without: ____, ...outdated } = reading;
  return { ...outdated, confidence, ...describeAdvice({ score, confidence }), action_reason: explainNoEvidence() };
}

/** Compares two scores. `effective` is true if the score fell or if both bands require no adaptation. */
function compareEffectiveness(previous: number, current: number): Schema<'AdaptationEffectiveness'> {
  const isEasy = (score: number) => findBand(score).suggested_action === 'maintain_engagement';
  return {
    previous_action: findBand(previous).suggested_action,
    previous_score: previous,
    current_score: current,
    stress_delta: current - previous,
    effective: current < previous || (isEasy(previous) && isEasy(current)),
  };
}
