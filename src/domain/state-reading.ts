import { disclaimer } from '../../generated/spec.js';
import type { Schema, StateReading } from '../contract.js';
import type { Answer } from './session.js';
import { bandOf } from './states.js';

/** Returns a computed response as defined in the contract. */
export function toStateReading(sessionId: string, answer: Answer): StateReading {
  const { state, suggested_action, recommendation } = bandOf(answer.score);
  return {
    hsp_version: '1.0',
    session_id: sessionId,
    timestamp: new Date(answer.timestampMs).toISOString(),
    state,
    stress_score: answer.score,
    confidence: answer.confidence,
    signals_received: [...answer.received],
    suggested_action,
    action_reason: answer.reason,
    recommendation,
    ...(answer.previousScore !== undefined && {
      adaptation_effectiveness: effectiveness(answer.previousScore, answer.score),
    }),
    topics_detected: [...(answer.topics ?? [])],
    ...(answer.triggers && {
      active_triggers: [...(answer.triggers.active ?? [])],
      resolved_triggers: [...(answer.triggers.resolved ?? [])],
    }),
    disclaimer,
  };
}

/**
 * Compares two scores. `effective` is true if the score fell, or if both scores are in bands that require no
 * adaptation.
 */
function effectiveness(previous: number, current: number): Schema<'AdaptationEffectiveness'> {
  const isEasy = (score: number) => bandOf(score).suggested_action === 'maintain_engagement';
  return {
    previous_action: bandOf(previous).suggested_action,
    previous_score: previous,
    current_score: current,
    stress_delta: current - previous,
    effective: current < previous || (isEasy(previous) && isEasy(current)),
  };
}
