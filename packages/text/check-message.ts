import type { components } from '../../generated/api.js';
import { textAnalysis as texts } from './settings.js';
import { type Alphabets, readAlphabets, recognizeLanguage } from './recognize-language.js';
import type { RemovedKind } from './own-words.js';
import type { SafetyKind } from './safety.js';
import type { Words } from './tokens.js';

/** Result of checking a user message. It belongs to the response only: no part of it is stored, logged or delivered. */
export interface MessageCheck {
  /** True if the message is not in English. It is then analyzed only for statements of a danger. */
  readonly isForeign: boolean;
  /** True if no word is known, and no language is certain. */
  readonly isUnknown?: true;
  /** Danger to the user that the message may describe. Absent if none is found. */
  readonly danger?: SafetyKind;
  /** What is not the person's own. Absent if the whole message was judged. */
  readonly removed?: readonly RemovedKind[];
  /** True if nothing in the message is the person's own. It was not checked. */
  readonly isOthers?: true;
  /** Which checks answered. Absent if no external check was asked. */
  readonly source?: components['schemas']['SafetySource'];
}

/** Returns the fields of a response that describe the check. None if the reading has no message that was checked. */
export function describeCheck({
  isForeign,
  isUnknown,
  danger,
  source,
  removed = [],
  isOthers,
}: MessageCheck): Pick<components['schemas']['StateReading'], 'text_analysis' | 'safety' | 'safety_source'> {
  const language = isForeign ? texts.answer_in_language : '';
  return {
    text_analysis: {
      ...(isOthers ? { status: 'no_own_words' as const } : describeStatus(isForeign, isUnknown, source !== undefined)),
      ...(removed.length > 0 && { removed: [...removed] }),
    },
    ...(danger && { safety: { kind: danger, guidance: `${texts.safety_guidance[danger]}${language}` } }),
    ...(source && { safety_source: source }),
  };
}

type Advice = Pick<components['schemas']['StateReading'], 'suggested_action' | 'recommendation'>;

/** Returns what an agent does about a safety finding, whatever the state is. Nothing without a finding. */
export function adviseOnDanger({ danger }: MessageCheck): Advice | undefined {
  const { safety_action: suggested_action, safety_recommendation: recommendation } = texts;
  return danger && { suggested_action, recommendation };
}

function describeStatus(
  isForeign: boolean,
  isUnknown: boolean | undefined,
  isAsked: boolean,
): components['schemas']['TextAnalysis'] {
  if (isUnknown) return { status: 'not_understood', detail: texts.not_understood_detail };
  const detail = isAsked ? texts.external_language_detail : texts.unsupported_language_detail;
  return isForeign ? { status: 'unsupported_language', detail } : { status: 'analyzed' };
}

/**
 * Returns true if a text is clearly not English in any part. Returns false for English, for texts that are too short to
 * tell, and for names, emoji and code. `words` are the words of the text as they are written. Never throws.
 */
export function isForeign(text: string, words: Words): boolean {
  const { language, letterShare } = words.isAscii ? latin : readAlphabets(text);
  let [from, hasOther] = [0, language !== undefined];
  for (const to of words.segmentEnds) {
    const part = recognizeLanguage(words, from, to, letterShare);
    if (part.isCertain && part.language === 'en') return false;
    hasOther ||= part.isCertain;
    from = to;
  }
  return hasOther;
}

const latin: Alphabets = { language: undefined, letterShare: 0 };
