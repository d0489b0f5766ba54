import { modelVersion } from '../../../generated/spec.js';
import type { StateReading, Submission } from '../../../src/contract.js';

/**
 * Returns the constant response of every comparison server. It has the structure and length of the service's responses.
 */
export function answerTo({ session_id, timestamp }: Submission): StateReading {
  return {
    hsp_version: '1.0',
    session_id,
    timestamp,
    state: 'stressed',
    stress_score: 79,
    confidence: 0.84,
    signals_received: ['cardiovascular', 'vocal', 'textual'],
    suggested_action: 'de-escalate_and_shorten',
    action_reason: "Heart rate 16 bpm above the population's typical, tense voice, negative sentiment.",
    recommendation:
      'Answer in at most two short, concrete sentences, acknowledge the strain and ask for nothing that can wait.',
    adaptation_effectiveness: {
      previous_action: 'maintain_engagement',
      previous_score: 28,
      current_score: 79,
      stress_delta: 51,
      effective: false,
    },
    model_version: modelVersion.number,
    topics_detected: [],
    active_triggers: [],
    resolved_triggers: [],
    disclaimer:
      'Not a medical device. Scores are estimates for adapting software and must not be used for diagnosis or treatment.',
  };
}
