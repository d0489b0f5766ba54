import type { Session } from '../../domain/session.js';
import type { Sample, SignalName, Signals } from '../../domain/signals.js';
import { type PackedAnswer, packAnswer, unpackAnswer } from './answer.js';
import { type PackedBaseline, packBaseline, unpackBaseline } from './baseline.js';
import { topics } from './names.js';
import { parsePacked } from './parse.js';

/** What a session's row holds as text; its subject is a column. */
export type SessionContent = Omit<Session, 'subjectId'>;

/** The same as it is stored: its values in this order, lists of topics as codes, signals with their age at the answer. */
type PackedSession = readonly [
  latest: PackedAnswer,
  signals: PackedSignals,
  heldScore: number | null,
  eventSeq: number | null,
  baseline: PackedBaseline | null,
  topicEvidence: string | null,
  sightedTopics: string,
];
type PackedSignals = readonly [
  heart_rate: PackedSample<'heart_rate'>,
  sdnn: PackedSample<'sdnn'>,
  tone: PackedSample<'tone'>,
  expression: PackedSample<'expression'>,
  sentiment: PackedSample<'sentiment'>,
];
type PackedSample<N extends SignalName> = readonly [value: NonNullable<Signals[N]>['value'], ageMs: number] | null;

export function sessionText(session: SessionContent): string {
  const { latest, signals, heldScore = null, eventSeq = null, baseline, topicEvidence = null } = session;
  const packed: PackedSession = [
    packAnswer(latest),
    packSignals(signals, latest.timestampMs),
    heldScore,
    eventSeq,
    baseline ? packBaseline(baseline) : null,
    topicEvidence,
    topics.pack(session.sightedTopics ?? []),
  ];
  return JSON.stringify(packed);
}

export const toSession = (text: string): SessionContent => parsePacked(text, unpack);

function unpack(packed: PackedSession): SessionContent {
  const [latest, signals, heldScore, eventSeq, baseline, topicEvidence, sightedTopics] = packed;
  return {
    latest: unpackAnswer(latest),
    signals: unpackSignals(signals, latest[0]),
    ...(heldScore !== null && { heldScore }),
    ...(eventSeq !== null && { eventSeq }),
    ...(baseline && { baseline: unpackBaseline(baseline) }),
    ...(topicEvidence !== null && { topicEvidence, sightedTopics: topics.unpack(sightedTopics) }),
  };
}

function packSignals({ heart_rate, sdnn, tone, expression, sentiment }: Signals, nowMs: number): PackedSignals {
  const pack = <T>(sample: Sample<T> | undefined): readonly [T, number] | null =>
    sample ? [sample.value, nowMs - sample.atMs] : null;
  return [pack(heart_rate), pack(sdnn), pack(tone), pack(expression), pack(sentiment)];
}

function unpackSignals([heart_rate, sdnn, tone, expression, sentiment]: PackedSignals, nowMs: number): Signals {
  const unpack = <T>([value, ageMs]: readonly [T, number]): Sample<T> => ({ value, atMs: nowMs - ageMs });
  return {
    ...(heart_rate && { heart_rate: unpack(heart_rate) }),
    ...(sdnn && { sdnn: unpack(sdnn) }),
    ...(tone && { tone: unpack(tone) }),
    ...(expression && { expression: unpack(expression) }),
    ...(sentiment && { sentiment: unpack(sentiment) }),
  };
}
