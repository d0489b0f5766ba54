import type { TopicStress } from '../../packages/score/attribution.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { ComputedState } from '../../packages/score/rows/session.js';
import { addTopics } from '../../packages/score/session.js';
import { type FinishedTurn, isComparable } from '../../packages/score/response.js';
import {
  activateByEffect,
  addSighting,
  addTurn,
  compareTopic,
  isConcern,
  moveTopic,
  resolveByTurns,
  unknownSubject,
} from '../../packages/score/triggers.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';
import { areaOfTopic, type TopicName } from '../../packages/text/vocabulary.js';
import { createPersonEvent, type OutboxEntry } from '../store/outbox.js';
import type { TriggersBySubject } from '../store/triggers.js';
import { completeState } from './advance.js';
import type { AcceptedReading, CompletedGroup, GroupProgress } from './progress.js';

/** Returns true if a turn mentions topics, with or without a concern. */
export const namesTopics = ({ topics, calmTopics }: FinishedTurn): boolean => topics.length + calmTopics.length > 0;

/** Updates the triggers with the topics of the group, in order. Adds topics and triggers to the responses. */
export function updateTriggers(
  progress: GroupProgress,
  accepted: readonly AcceptedReading[],
  found: TriggersBySubject,
): CompletedGroup {
  const sighted = new Map<string, Map<string, Trigger>>();
  const computed = new Map<AcceptedReading, ComputedState>();
  for (const taken of accepted) {
    const { subjectId } = taken.step.session;
    let { topics } = taken;
    const finished = taken.finished.filter(namesTopics);
    if (subjectId !== undefined) {
      const triggers = sighted.get(subjectId) ?? new Map<string, Trigger>();
      sighted.set(subjectId, triggers);
      const person = { subjectId, before: found.get(subjectId), triggers };
      if (taken.credit) enterTopics(progress, taken, taken.credit, person);
      const calm = taken.calm && keepConcerns(taken.calm, person);
      if (calm) enterTopics(progress, taken, calm, person);
      for (const turn of finished) compareTopics(progress, turn, person);
      topics = [...topics, ...(calm?.topics ?? [])];
    }
    computed.set(taken, completeState(progress, taken, topics));
  }
  return { computed, triggers: sighted };
}

/** An activation that a group finds later than this after its turn, in ms, is history: it causes no event. */
const activeMaxMs = 3_600_000;

/** Returns an event for each topic that a group of readings made active. */
export function listActivations(found: TriggersBySubject, changed: TriggersBySubject, nowMs: number): OutboxEntry[] {
  return [...changed].flatMap(([subjectId, triggers]) =>
    [...triggers].flatMap(([topic, { status, changes }]) => {
      const atMs = changes.at(-1)?.atMs ?? 0;
      const isNew = status === 'active' && found.get(subjectId)?.get(topic)?.status !== 'active';
      if (!isNew || nowMs - atMs > activeMaxMs) return [];
      const timestamp = new Date(atMs).toISOString();
      const body = { event: 'trigger_active', subject_id: subjectId, topic, timestamp } as const;
      return [createPersonEvent(subjectId, body, nowMs)];
    }),
  );
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

/**
 * Changes the triggers of a person, and the topics of the person that follow from them. `change` returns the trigger of a
 * topic, or undefined if it does not change.
 */
function changeTopics<Topic extends string>(
  { subjects, changedSubjects, nowMs }: GroupProgress,
  person: PersonsTriggers,
  topics: readonly Topic[],
  change: (topic: Topic, known: Trigger | undefined, turns: Subject['turns']) => Trigger | undefined,
): void {
  const { subjectId, triggers } = person;
  const triggerOf = (topic: string) => triggerIn(person, topic);
  let subject = subjects.get(subjectId) ?? unknownSubject;
  for (const topic of topics) {
    const trigger = change(topic, triggerOf(topic), subject.turns);
    if (!trigger) continue;
    triggers.set(topic, markActivation(trigger, triggerOf(topic), nowMs));
    subject = moveTopic(subject, topic, trigger, triggerOf);
  }
  subjects.set(subjectId, subject);
  changedSubjects.set(subjectId, subject);
}

/** Adds the time of storage to a new activation. Alerts compare this time, because a late turn may activate a topic. */
function markActivation(trigger: Trigger, known: Trigger | undefined, storedMs: number): Trigger {
  const last = trigger.changes.at(-1);
  if (!last || trigger.status !== 'active' || known?.status === 'active') return trigger;
  return { ...trigger, changes: [...trigger.changes.slice(0, -1), { ...last, storedMs }] };
}

function enterTopics(
  progress: GroupProgress,
  { submitted: { sessionId } }: AcceptedReading,
  { topics, certain, atMs, stress, before: creditedBefore }: TopicStress,
  person: PersonsTriggers,
): void {
  const { changedSessions } = progress;
  const changed = changedSessions.get(sessionId);
  const isNew = creditedBefore === undefined;
  changeTopics(progress, person, topics, (topic, known, turns) => {
    // An erasure can remove a trigger between the turn and the rise that follows.
    if (!isNew && !known) return undefined;
    return addSighting(known, {
      score: stress,
      scoreBefore: creditedBefore,
      atMs,
      sessionId,
      isFirstInSession: isNew && !changed?.session.sightedTopics?.includes(topic),
      isCertain: certain.includes(topic),
      isComparable: isComparable(turns, known?.measured),
    });
  });
  if (isNew && changed) changedSessions.set(sessionId, { ...changed, session: addTopics(changed.session, topics) });
}

/**
 * Adds a complete turn to its topics, activates those that go with more stress of the person, and resolves those that no
 * longer do. The stress of its sightings becomes that of the minutes after the turn.
 */
function compareTopics(progress: GroupProgress, turn: FinishedTurn, person: PersonsTriggers): void {
  const calm = turn.calmTopics.filter((topic) => isConcern(triggerIn(person, topic)));
  const all = new Map(person.before);
  for (const [topic, trigger] of person.triggers) all.set(topic, trigger);
  changeTopics(progress, person, [...turn.topics, ...calm], (topic, known, turns) => {
    // An erasure can remove a trigger between the turn and its end.
    if (!known) return undefined;
    const settled = {
      ...turn,
      score: turn.settled,
      scoreBefore: turn.stress,
      isFirstInSession: false,
      isCertain: false,
    };
    const isComparedNow = isComparable(turns, known.measured);
    const isSame = turn.settled === turn.stress;
    const sighted = isSame ? known : addSighting(known, { ...settled, isComparable: isComparedNow });
    const added = addTurn(sighted, turn, isComparedNow);
    const checked = isComparedNow ? resolveByTurns(added, topic, turns, turn) : added;
    return activateByEffect(checked, compareTopic(topic, all.set(topic, checked), turns), turn);
  });
  if (turn.isCalm) resolveRelated(progress, turn, person);
}

/** Resolves active topics of the areas of a calm turn that the turn did not name. */
function resolveRelated(progress: GroupProgress, turn: FinishedTurn, person: PersonsTriggers): void {
  const named: readonly string[] = [...turn.topics, ...turn.calmTopics];
  const areas = new Set(named.map((topic) => areaOfTopic.get(topic as TopicName)));
  const active = progress.subjects.get(person.subjectId)?.active ?? [];
  const related = active.filter((it) => !named.includes(it) && areas.has(areaOfTopic.get(it as TopicName)));
  changeTopics(progress, person, related, (topic, known, turns) => {
    if (!known || !isComparable(turns, known.measured)) return undefined;
    const checked = resolveByTurns(known, topic, turns, turn);
    return checked === known ? undefined : checked;
  });
}
