import type { Answer } from '../../domain/session.js';
import { categories, topics } from './names.js';
import { parsePacked } from './parse.js';

/** An answer as it is stored: its values in this order, lists of names as codes. */
export type PackedAnswer = readonly [
  timestampMs: number,
  score: number,
  confidence: number,
  received: string,
  reason: string,
  previousScore: number | null,
  topics: string,
  triggers: readonly [active: string, resolved: string] | null,
];

export function packAnswer(answer: Answer): PackedAnswer {
  const { timestampMs, score, confidence, received, reason, previousScore = null, triggers } = answer;
  const named = topics.pack(answer.topics ?? []);
  const known = triggers ? ([topics.pack(triggers.active), topics.pack(triggers.resolved)] as const) : null;
  return [timestampMs, score, confidence, categories.pack(received), reason, previousScore, named, known];
}

export function unpackAnswer(packed: PackedAnswer): Answer {
  const [timestampMs, score, confidence, received, reason, previousScore, named, known] = packed;
  return {
    timestampMs,
    score,
    confidence,
    received: categories.unpack(received),
    reason,
    ...(previousScore !== null && { previousScore }),
    ...(named !== '' && { topics: topics.unpack(named) }),
    ...(known && { triggers: { active: topics.unpack(known[0]), resolved: topics.unpack(known[1]) } }),
  };
}

export const answerText = (answer: Answer): string => JSON.stringify(packAnswer(answer));
export const toAnswer = (text: string): Answer => parsePacked(text, unpackAnswer);
