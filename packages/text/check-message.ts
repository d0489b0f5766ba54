import { textAnalysis as texts } from '../../generated/spec.js';
import type { components } from '../../generated/api.js';
import { isForeign } from './language.js';
import { createFindDanger, type FindDanger, type SafetyKind } from './safety.js';

/** Result of checking a user message. It belongs to the response only: no part of it is stored, logged or delivered. */
export interface MessageCheck {
  /** True if the message is not in English. It is then not analyzed. */
  readonly isForeign: boolean;
  /** Danger to the user that the message may describe. Absent if none is found. */
  readonly danger?: SafetyKind;
}

/** Returns a function with its own working memory, which checks one message at a time. It never throws. */
export function createCheckMessage(): (message: string) => MessageCheck {
  let findDanger: FindDanger | undefined;
  return (message) => {
    if (isForeign(message)) return { isForeign: true };
    findDanger ??= createFindDanger();
    const danger = findDanger(message);
    return { isForeign: false, ...(danger && { danger }) };
  };
}

/** Returns the fields of a response that describe the check. None if the reading has no message that was checked. */
export function describeCheck(
  check: MessageCheck,
): Pick<components['schemas']['StateReading'], 'text_analysis' | 'safety'> {
  if (check.isForeign)
    return { text_analysis: { status: 'unsupported_language', detail: texts.unsupported_language_detail } };
  const { danger } = check;
  return {
    text_analysis: { status: 'analyzed' },
    ...(danger && { safety: { kind: danger, guidance: texts.safety_guidance[danger] } }),
  };
}
