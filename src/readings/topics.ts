import type { Credit } from '../domain/attribution.js';
import type { ComputedState } from '../domain/session.js';
import { nameTopic, unknownSubject } from '../domain/subject.js';
import { sight, type Trigger } from '../domain/triggers.js';
import type { StoredReading } from '../store/readings.js';
import type { TriggersOf } from '../store/triggers.js';
import type { Advance, Progress, TakenReading } from './advance.js';

interface Remembered {
  /** The computed state after each reading, in the order of the group. Undefined for a rejected reading. */
  readonly computedStates: ReadonlyArray<ComputedState | undefined>;
  readonly stored: readonly StoredReading[];
  /** The triggers that the group changed, by subject and topic. */
  readonly triggers: TriggersOf;
}

/** Returns the subjects whose triggers the group changes. */
export function sightedSubjects(advances: readonly Advance[]): string[] {
  const subjectIds = new Set<string>();
  for (const { step, credit } of takenOf(advances))
    if (credit && step.session.subjectId !== undefined) subjectIds.add(step.session.subjectId);
  return [...subjectIds];
}

/** Updates the triggers with the topics of the group, in order. Adds topics and triggers to the responses. */
export function rememberTopics(progress: Progress, advances: readonly Advance[], found: TriggersOf): Remembered {
  const sighted = new Map<string, Map<string, Trigger>>();
  const computedStates = new Map<TakenReading, ComputedState>();
  for (const taken of takenOf(advances)) {
    const { subjectId } = taken.step.session;
    if (subjectId !== undefined && taken.credit) {
      const triggers = sighted.get(subjectId) ?? new Map<string, Trigger>();
      sighted.set(subjectId, triggers);
      enterTopics(progress, taken, taken.credit, subjectId, { before: found.get(subjectId), triggers });
    }
    computedStates.set(taken, completeState(progress, taken));
  }
  return {
    computedStates: advances.map((advance) => computedOf(advance, computedStates)),
    stored: [...computedStates].map(([taken, computed]) => toStored(taken, computed)),
    triggers: sighted,
  };
}

/** Triggers of a person: the stored triggers and the triggers that the group has changed so far. */
interface PersonsTriggers {
  readonly before: ReadonlyMap<string, Trigger> | undefined;
  readonly triggers: Map<string, Trigger>;
}

function enterTopics(
  { subjects, changedSubjects }: Progress,
  { submitted, newTopics }: TakenReading,
  { topics, certain, atMs, stress, before: creditedBefore }: Credit,
  subjectId: string,
  { before, triggers }: PersonsTriggers,
): void {
  const triggerOf = (topic: string) => triggers.get(topic) ?? before?.get(topic);
  let subject = subjects.get(subjectId) ?? unknownSubject;
  for (const topic of topics) {
    const known = triggerOf(topic);
    // An erasure can remove a trigger between the turn and the rise that follows.
    if (creditedBefore !== undefined && !known) continue;
    const trigger = sight(known, {
      score: stress,
      scoreBefore: creditedBefore,
      atMs,
      sessionId: submitted.sessionId,
      isFirstInSession: creditedBefore === undefined && newTopics.includes(topic),
      isCertain: certain.includes(topic),
    });
    triggers.set(topic, trigger);
    subject = nameTopic(subject, topic, trigger, triggerOf);
  }
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/** Returns the state with the topics of the turn and the triggers of the subject after the reading. */
function completeState({ subjects }: Progress, { step, topics }: TakenReading): ComputedState {
  const { subjectId } = step.session;
  const subject = subjectId === undefined ? undefined : subjects.get(subjectId);
  return {
    ...step.computed,
    ...(topics.length > 0 && { topics }),
    ...(subject && { triggers: { active: subject.active, resolved: subject.resolved } }),
  };
}

function computedOf(
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

function takenOf(advances: readonly Advance[]): TakenReading[] {
  return advances.filter((advance) => advance.kind === 'taken');
}
