import type { Answer } from '../domain/session.js';
import { nameTopic, unknownSubject } from '../domain/subject.js';
import type { TopicName } from '../domain/topics/vocabulary.js';
import { sight } from '../domain/triggers.js';
import type { StoredReading } from '../store/readings.js';
import type { NamedTrigger, TriggerKey } from '../store/triggers.js';
import type { Advance, Progress, TakenReading } from './advance-reading.js';

interface Remembered {
  /** In the order of the group; undefined for refused readings. */
  readonly answers: ReadonlyArray<Answer | undefined>;
  readonly stored: readonly StoredReading[];
  readonly triggers: readonly NamedTrigger[];
}

/** The triggers that a group touches. */
export function sightedTriggers(advances: readonly Advance[]): TriggerKey[] {
  const keys = takenOf(advances).flatMap(({ step, topics }) =>
    topics.flatMap((topic) =>
      step.session.subjectId === undefined ? [] : { subjectId: step.session.subjectId, topic },
    ),
  );
  return [...new Map(keys.map((key) => [nameOf(key), key])).values()];
}

/** Enters the topics of the group into its subjects' triggers, in order, and completes the answers by them. */
export function rememberTopics(
  progress: Progress,
  advances: readonly Advance[],
  found: readonly NamedTrigger[],
): Remembered {
  const triggers = new Map(found.map((it) => [nameOf(it), it]));
  const answers = new Map<TakenReading, Answer>();
  for (const taken of takenOf(advances)) {
    for (const topic of taken.topics) enterTopic(progress, triggers, taken, topic);
    answers.set(taken, completeAnswer(progress, taken));
  }
  return {
    answers: advances.map((advance) => answerOf(advance, answers)),
    stored: [...answers].map(([taken, answer]) => toStored(taken, answer)),
    triggers: [...triggers.values()],
  };
}

function enterTopic(
  { subjects, changedSubjects }: Progress,
  triggers: Map<string, NamedTrigger>,
  { step, submitted, newTopics }: TakenReading,
  topic: TopicName,
): void {
  const { subjectId } = step.session;
  if (subjectId === undefined) return;
  const key = nameOf({ subjectId, topic });
  const trigger = sight(triggers.get(key)?.trigger, {
    score: step.point.score,
    atMs: submitted.timestampMs,
    sessionId: submitted.sessionId,
    isFirstInSession: newTopics.includes(topic),
  });
  triggers.set(key, { subjectId, topic, trigger });
  const subject = nameTopic(subjects.get(subjectId) ?? unknownSubject, topic, trigger.status);
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/** The answer with the topics of its turn and the triggers of its subject as they stand after it. */
function completeAnswer({ subjects }: Progress, { step, topics }: TakenReading): Answer {
  const { subjectId } = step.session;
  const subject = subjectId === undefined ? undefined : subjects.get(subjectId);
  return {
    ...step.answer,
    ...(topics.length > 0 && { topics }),
    ...(subject && { triggers: { active: subject.active, resolved: subject.resolved } }),
  };
}

function answerOf(advance: Advance, answers: ReadonlyMap<TakenReading, Answer>): Answer | undefined {
  if (advance.kind === 'answered') return advance.answer;
  if (advance.kind === 'refused') return undefined;
  return answers.get(advance.kind === 'same' ? advance.as : advance);
}

function toStored({ submitted, incarnation, step }: TakenReading, answer: Answer): StoredReading {
  const { sessionId, timestampMs, digest } = submitted;
  return { sessionId, incarnation, timestampMs, digest, point: step.point, answer };
}

function takenOf(advances: readonly Advance[]): TakenReading[] {
  return advances.filter((advance) => advance.kind === 'taken');
}

/** Ids hold no spaces. */
function nameOf({ subjectId, topic }: TriggerKey): string {
  return `${subjectId} ${topic}`;
}
