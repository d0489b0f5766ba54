import type { Answer } from '../domain/session.js';
import { nameTopic, unknownSubject } from '../domain/subject.js';
import { sight, type Trigger } from '../domain/triggers.js';
import type { StoredReading } from '../store/readings.js';
import type { TriggersOf } from '../store/triggers.js';
import type { Advance, Progress, TakenReading } from './advance-reading.js';

interface Remembered {
  /** In the order of the group. Undefined for rejected readings. */
  readonly answers: ReadonlyArray<Answer | undefined>;
  readonly stored: readonly StoredReading[];
  /** The triggers that the group changed, by subject and topic. */
  readonly triggers: TriggersOf;
}

/** Returns the subjects whose triggers the group changes. */
export function sightedSubjects(advances: readonly Advance[]): string[] {
  const subjectIds = new Set<string>();
  for (const { step, topics } of takenOf(advances))
    if (topics.length > 0 && step.session.subjectId !== undefined) subjectIds.add(step.session.subjectId);
  return [...subjectIds];
}

/** Updates the triggers with the topics of the group, in order, and adds topics and triggers to the responses. */
export function rememberTopics(progress: Progress, advances: readonly Advance[], found: TriggersOf): Remembered {
  const sighted = new Map<string, Map<string, Trigger>>();
  const answers = new Map<TakenReading, Answer>();
  for (const taken of takenOf(advances)) {
    const { subjectId } = taken.step.session;
    if (subjectId !== undefined && taken.topics.length > 0) {
      const triggers = sighted.get(subjectId) ?? new Map<string, Trigger>();
      sighted.set(subjectId, triggers);
      enterTopics(progress, taken, subjectId, { before: found.get(subjectId), triggers });
    }
    answers.set(taken, completeAnswer(progress, taken));
  }
  return {
    answers: advances.map((advance) => answerOf(advance, answers)),
    stored: [...answers].map(([taken, answer]) => toStored(taken, answer)),
    triggers: sighted,
  };
}

/** Triggers of a person: those from the database, and those that the group has changed so far. */
interface PersonsTriggers {
  readonly before: ReadonlyMap<string, Trigger> | undefined;
  readonly triggers: Map<string, Trigger>;
}

function enterTopics(
  { subjects, changedSubjects }: Progress,
  { step, submitted, topics, certainTopics, newTopics }: TakenReading,
  subjectId: string,
  { before, triggers }: PersonsTriggers,
): void {
  const triggerOf = (topic: string) => triggers.get(topic) ?? before?.get(topic);
  let subject = subjects.get(subjectId) ?? unknownSubject;
  for (const topic of topics) {
    const trigger = sight(triggerOf(topic), {
      score: step.point.score,
      atMs: submitted.timestampMs,
      sessionId: submitted.sessionId,
      isFirstInSession: newTopics.includes(topic),
      isCertain: certainTopics.includes(topic),
    });
    triggers.set(topic, trigger);
    subject = nameTopic(subject, topic, trigger, triggerOf);
  }
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/** Returns the response with the topics of its turn and the triggers of its subject after the reading. */
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

function toStored({ submitted, incarnation, step, event }: TakenReading, answer: Answer): StoredReading {
  const { sessionId, timestampMs, digest } = submitted;
  return { sessionId, incarnation, timestampMs, digest, point: step.point, answer, stateChange: event?.payload };
}

function takenOf(advances: readonly Advance[]): TakenReading[] {
  return advances.filter((advance) => advance.kind === 'taken');
}
