import type { TopicStress } from '../score/attribution.js';
import type { ComputedState } from '../score/remembered.js';
import { addTopics } from '../score/session.js';
import { isConcern, moveTopic, addSighting, type Trigger, unknownSubject } from '../score/triggers.js';
import type { TriggersBySubject } from '../store/triggers.js';
import {
  type ProcessedReading,
  type CompletedGroup,
  completeState,
  listAccepted,
  type GroupProgress,
  type AcceptedReading,
} from './advance.js';

/** Updates the triggers with the topics of the group, in order. Adds topics and triggers to the responses. */
export function updateTriggers(
  progress: GroupProgress,
  advances: readonly ProcessedReading[],
  found: TriggersBySubject,
): CompletedGroup {
  const sighted = new Map<string, Map<string, Trigger>>();
  const computed = new Map<AcceptedReading, ComputedState>();
  for (const taken of listAccepted(advances)) {
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
    computed.set(taken, completeState(progress, taken, topics));
  }
  return { computed, triggers: sighted };
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
 * Keeps the topics that are active or resolved for the person. A topic that is mentioned without a concern counts only
 * then. This is how a topic resolves. Returns undefined if there are none.
 */
function keepConcerns(calm: TopicStress, person: PersonsTriggers): TopicStress | undefined {
  const topics = calm.topics.filter((topic) => isConcern(triggerIn(person, topic)));
  return topics.length > 0 ? { ...calm, topics } : undefined;
}

function enterTopics(
  { subjects, changedSubjects, changedSessions }: GroupProgress,
  { submitted: { sessionId } }: AcceptedReading,
  { topics, certain, atMs, stress, before: creditedBefore }: TopicStress,
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
    const trigger = addSighting(known, {
      score: stress,
      scoreBefore: creditedBefore,
      atMs,
      sessionId,
      isFirstInSession: isNew && !changed?.session.sightedTopics?.includes(topic),
      isCertain: certain.includes(topic),
    });
    triggers.set(topic, trigger);
    subject = moveTopic(subject, topic, trigger, triggerOf);
  }
  if (isNew && changed) changedSessions.set(sessionId, { ...changed, session: addTopics(changed.session, topics) });
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}
