import type { StateReading } from './schemas.js';

/**
 * Returns the system text for a model. `safety` comes first, because a crisis procedure precedes the recommendation. An
 * unknown or outdated state, and words in which nothing stands out, give no text but that of `safety`: '' without a finding.
 */
export function writeInstruction(reading: StateReading, sharesTriggers = false): string {
  const { state, action_reason, recommendation, safety, active_triggers = [] } = reading;
  if (!isKnownState(reading)) return safety ? [safety.guidance, recommendation].join(' ').trimEnd() : '';
  const isSharing = sharesTriggers && active_triggers.length > 0;
  return [
    `The person's current stress state is "${state}". Reason: ${action_reason}`,
    ...(safety ? [safety.guidance] : []),
    ...(recommendation === undefined ? [] : [recommendation]),
    ...(isSharing ? [`Topics that go with more stress: ${active_triggers.join(', ')}.`] : []),
    'Do not mention the state unless the person asks.',
  ].join(' ');
}

/** Returns true for a state that evidence supports: neither unknown nor outdated. */
export function isKnownState({ confidence, evidence }: Partial<StateReading>): boolean {
  return confidence !== undefined && confidence > 0 && evidence === undefined;
}
