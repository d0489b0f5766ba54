import type { Credit } from '../score/attribution.js';
import { addTopics } from '../score/session.js';
import { nameTopic, unknownSubject } from '../score/subject.js';
import { isConcern, sight, type Trigger } from '../score/triggers.js';
import type { TopicName } from '../../packages/text/vocabulary.js';
import type { StoredReading } from '../store/reading-row.js';
import type { TriggersOf } from '../store/triggers.js';
import type { Advance, Progress, TakenReading } from './advance.js';
import type { ComputedState } from '../score/remembered.js';

interface Remembered {
  /** The computed state after each reading, in the order of the group. Undefined for a rejected reading. */
  readonly computedStates: ReadonlyArray<ComputedState | undefined>;
  readonly stored: readonly StoredReading[];
  /** The triggers that the group changed, by subject and topic. */
  readonly triggers: TriggersOf;
}

/** Returns the subjects whose triggers the group may change. */
export function sightedSubjects(advances: readonly Advance[]): string[] {
  const subjectIds = new Set<string>();
  for (const { step, credit, calm } of listTaken(advances))
    if ((credit ?? calm) && step.session.subjectId !== undefined) subjectIds.add(step.session.subjectId);
  return [...subjectIds];
}

/** Updates the triggers with the topics of the group, in order. Adds topics and triggers to the responses. */
export function rememberTopics(progress: Progress, advances: readonly Advance[], found: TriggersOf): Remembered {
  const sighted = new Map<string, Map<string, Trigger>>();
  const computedStates = new Map<TakenReading, ComputedState>();
  for (const taken of listTaken(advances)) {
    const { subjectId } = taken.step.session;
    let { topics } = taken;
    if (subjectId !== undefined && (taken.credit ?? taken.calm)) {
      const triggers = sighted.get(subjectId) ?? new Map<string, Trigger>();
      sighted.set(subjectId, triggers);
      const person = { subjectId, before: found.get(subjectId), triggers };
      if (taken.credit) enterTopics(progress, taken, taken.credit, person);
      const calm = taken.calm && keepConcerns(taken.calm, person);
      if (calm) enterTopics(progress, taken, calm, person);
      topics = [...topics, ...(calm?.topics ?? [])];
    }
    computedStates.set(taken, completeState(progress, taken, topics));
  }
  return {
    computedStates: advances.map((advance) => findComputed(advance, computedStates)),
    stored: [...computedStates].map(([taken, computed]) => toStored(taken, computed)),
    triggers: sighted,
  };
}

/** Triggers of a person: the stored triggers and the triggers that the group has changed so far. */
interface PersonsTriggers {
  readonly subjectId: string;
  readonly before: ReadonlyMap<string, Trigger> | undefined;
  readonly triggers: Map<string, Trigger>;
}

const triggerIn = ({ triggers, before }: PersonsTriggers, topic: string): Trigger | undefined =>
  triggers.get(topic) ?? before?.get(topic);

/**
 * Keeps the topics that are active or resolved for the person. A topic that is mentioned without a concern counts only then.
 * This is how a topic resolves. Returns undefined if there are none.
 */
function keepConcerns(calm: Credit, person: PersonsTriggers): Credit | undefined {
  const topics = calm.topics.filter((topic) => isConcern(triggerIn(person, topic)));
  return topics.length > 0 ? { ...calm, topics } : undefined;
}

function enterTopics(
  { subjects, changedSubjects, changedSessions }: Progress,
  { submitted: { sessionId } }: TakenReading,
  { topics, certain, atMs, stress, before: creditedBefore }: Credit,
  person: PersonsTriggers,
): void {
  const { subjectId, triggers } = person;
  const triggerOf = (topic: string) => triggerIn(person, topic);
  const changed = changedSessions.get(sessionId);
  const isNew = creditedBefore === undefined;
  let subject = subjects.get(subjectId) ?? unknownSubject;
  for (const topic of topics) {
    const known = triggerOf(topic);
    // An erasure can remove a trigger between the turn and the rise that follows.
    if (!isNew && !known) continue;
    const trigger = sight(known, {
      score: stress,
      scoreBefore: creditedBefore,
      atMs,
      sessionId,
      isFirstInSession: isNew && !changed?.session.sightedTopics?.includes(topic),
      isCertain: certain.includes(topic),
    });
    triggers.set(topic, trigger);
    subject = nameTopic(subject, topic, trigger, triggerOf);
  }
  if (isNew && changed) changedSessions.set(sessionId, { ...changed, session: addTopics(changed.session, topics) });
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/** Returns the state with the topics of the turn and the triggers of the subject after the reading. */
function completeState({ subjects }: Progress, { step }: TakenReading, topics: readonly TopicName[]): ComputedState {
  const { subjectId } = step.session;
  const subject = subjectId === undefined ? undefined : subjects.get(subjectId);
  return {
    ...step.computed,
    ...(topics.length > 0 && { topics }),
    ...(subject && { triggers: { active: subject.active, resolved: subject.resolved } }),
  };
}

function findComputed(
  advance: Advance,
  computedStates: ReadonlyMap<TakenReading, ComputedState>,
): ComputedState | undefined {
  if (advance.kind === 'stored') return advance.computed;
  if (advance.kind === 'refused') return undefined;
  return computedStates.get(advance.kind === 'same' ? advance.as : advance);
}

function toStored({ submitted, incarnation, step, event }: TakenReading, computed: ComputedState): StoredReading {
  const { sessionId, timestampMs, digest, isBackfill: isSilent = false } = submitted;
  const key = { sessionId, incarnation, timestampMs, digest };
  return { ...key, point: step.point, computed, stateChange: event?.payload, isSilent };
}

function listTaken(advances: readonly Advance[]): TakenReading[] {
  return advances.filter((advance) => advance.kind === 'taken');
}
