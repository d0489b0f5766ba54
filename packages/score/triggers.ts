import { areaOfTopic, type TopicName } from '../text/vocabulary.js';
import { type Effect, estimateEffect } from './effect.js';
import { triggers as settings } from './generated/contract.js';
import type { FinishedTurn } from './response.js';
import type { OpenTurn, PersonTurns, Subject } from './rows/person.js';
import type { Activation, Trigger, TriggerStatus } from './rows/trigger.js';
import { addStress, findLowestScore } from './usual.js';

/** A sighting: a conversation turn was about the topic. */
export interface Sighting {
  /** Stress that counts for the topic, 0–100. */
  readonly score: number;
  /** The stress of the same sighting before it was raised, 0–100. Absent for a new sighting. */
  readonly scoreBefore?: number | undefined;
  /** Timestamp of the reading in epoch ms. */
  readonly atMs: number;
  readonly sessionId: string;
  /** True for the first sighting of the topic in this session. */
  readonly isFirstInSession: boolean;
  /** True if a first-person phrase names the topic. */
  readonly isCertain: boolean;
  /** True if enough other turns are known to compare the topic with. Complete turns then decide its status. */
  readonly isComparable?: boolean;
}

const activeFrom = findLowestScore(settings.active_from_state);
const activeAtOnceFrom = findLowestScore(settings.active_at_once_from_state);
const resolvedBelow = findLowestScore(settings.resolved_below_state);

/**
 * Returns the trigger after a sighting, or after the stress of its latest sighting was raised. `trigger` is undefined
 * before the first sighting.
 */
export function addSighting(trigger: Trigger | undefined, sighting: Sighting): Trigger {
  const { score, scoreBefore, atMs, isFirstInSession } = sighting;
  const isNew = scoreBefore === undefined;
  const sightings = (trigger?.sightings ?? 0) + (isNew ? 1 : 0);
  const recent = recentAfter(trigger, sighting, sightings);
  const { isComparable } = sighting;
  const activation = isComparable ? trigger?.activation : countResolving(trigger?.activation, sighting);
  const isPattern = sightings > 1 || isAcute(sighting);
  const before = trigger?.status ?? 'observed';
  const status = isComparable ? before : statusAfter(before, recent, isPattern, activation);
  const isActivated = status === 'active' && trigger?.status !== 'active';
  const isResolved = status === 'resolved' && trigger?.status !== 'resolved';
  const current = isActivated ? { sessionId: sighting.sessionId, atMs, resolving: 0 } : activation;
  return {
    status,
    recent,
    scoreSum: (trigger?.scoreSum ?? 0) + score - (scoreBefore ?? 0),
    sightings,
    peakScore: Math.max(trigger?.peakScore ?? 0, score),
    sessions: (trigger?.sessions ?? 0) + (isFirstInSession ? 1 : 0),
    lastSeenMs: Math.max(trigger?.lastSeenMs ?? atMs, atMs),
    ...(trigger?.measured && !isResolved && { measured: trigger.measured }),
    ...(current && { activation: current }),
    changes: changesAfter(trigger, status, atMs),
  };
}

/**
 * Returns the trigger with a complete turn that named the topic. Counts the calm turns in a row, from sessions after the
 * activation, if the topic is comparable.
 */
export function addTurn(trigger: Trigger, turn: FinishedTurn, isComparable: boolean): Trigger {
  const { activation } = trigger;
  const measured = addStress(trigger.measured, [turn]);
  if (!isComparable || !activation || !isLater(activation, turn)) return { ...trigger, measured };
  const resolving = turn.isCalm ? activation.resolving + 1 : 0;
  return { ...trigger, measured, activation: { ...activation, resolving } };
}

/**
 * Returns a resolved trigger after enough calm turns in a row, about the topic or its area. Turns about other topics of
 * the area count, because the words for one worry change.
 */
export function resolveByTurns(
  trigger: Trigger,
  topic: string,
  person: PersonTurns | undefined,
  turn: Pick<FinishedTurn, 'sessionId' | 'atMs'>,
): Trigger {
  const { activation, measured: _, ...rest } = trigger;
  const area = areaOfTopic.get(topic as TopicName);
  if (trigger.status !== 'active' || !activation || !area || !isLater(activation, turn)) return trigger;
  const { turns = 0, sinceMs = turn.atMs } = person?.calmInRow?.[area] ?? {};
  const isNamed = activation.resolving > 0;
  const areaTurns = isNamed ? settings.resolving_area_turns_named : settings.resolving_area_turns;
  const isLong = turns >= areaTurns && turn.atMs - sinceMs >= settings.resolving_hours * 3_600_000;
  if (activation.resolving < settings.resolving_turns && !isLong) return trigger;
  return { ...rest, activation, status: 'resolved', changes: changesAfter(trigger, 'resolved', turn.atMs) };
}

/** Returns an active trigger if a topic with several sightings goes with more stress of the person. */
export function activateByEffect(
  trigger: Trigger,
  effect: Effect | undefined,
  { sessionId, atMs }: Pick<FinishedTurn, 'sessionId' | 'atMs'>,
): Trigger {
  if (trigger.status === 'active' || trigger.sightings < 2 || !effect || effect.evidence === 'weak') return trigger;
  const activation = { sessionId, atMs, resolving: 0 };
  return { ...trigger, status: 'active', activation, changes: changesAfter(trigger, 'active', atMs) };
}

/** Returns the effect of a topic, compared with the other turns of the person and the topics of its area. */
export function compareTopic(
  topic: string,
  triggers: ReadonlyMap<string, Trigger>,
  person: PersonTurns | undefined,
): Effect | undefined {
  const area = areaOfTopic.get(topic as TopicName);
  const related = [];
  for (const [other, { measured }] of triggers)
    if (measured && other !== topic && areaOfTopic.get(other as TopicName) === area) related.push(measured);
  return estimateEffect(person, { own: triggers.get(topic)?.measured, related });
}

function recentAfter(trigger: Trigger | undefined, { score, scoreBefore }: Sighting, sightings: number): number {
  const weight = sightings > 1 ? settings.newest_weight : 1;
  const before = trigger?.recent ?? 0;
  return roundRecent(
    scoreBefore === undefined ? weight * score + (1 - weight) * before : before + weight * (score - scoreBefore),
  );
}

function roundRecent(recent: number): number {
  return Math.round(recent * 1e6) / 1e6;
}

/**
 * Returns true if one sighting is enough for activation: a first-person phrase names the concern in `acute_stress`.
 * Otherwise, one sighting is not a pattern.
 */
const isAcute = ({ isCertain, score }: Sighting): boolean => isCertain && score >= activeAtOnceFrom;

function statusAfter(
  status: TriggerStatus,
  recent: number,
  isPattern: boolean,
  activation: Activation | undefined,
): TriggerStatus {
  if (recent >= activeFrom && isPattern) return 'active';
  const isResolved = recent < resolvedBelow && (activation?.resolving ?? 0) >= settings.resolving_sightings;
  return status === 'active' && isResolved ? 'resolved' : status;
}

/**
 * Counts a calm sighting in a later session. A calm end of the same session does not support a resolution. A sighting
 * whose stress is raised above calm no longer counts.
 */
function countResolving(activation: Activation | undefined, sighting: Sighting): Activation | undefined {
  const { score, scoreBefore = resolvedBelow } = sighting;
  if (!activation || !isLater(activation, sighting)) return activation;
  const change = Number(score < resolvedBelow) - Number(scoreBefore < resolvedBelow);
  return change === 0 ? activation : { ...activation, resolving: activation.resolving + change };
}

const isLater = (activation: Activation, { sessionId, atMs }: Pick<FinishedTurn, 'sessionId' | 'atMs'>): boolean =>
  sessionId !== activation.sessionId && atMs > activation.atMs;

function changesAfter(trigger: Trigger | undefined, status: TriggerStatus, atMs: number): Trigger['changes'] {
  if (trigger?.status === status) return trigger.changes;
  return [...(trigger?.changes ?? []), { status, atMs }].slice(-settings.status_changes_max);
}

/** Returns true if the topic is or was a concern of the person, false if it was only observed. */
export const isConcern = (trigger: Trigger | undefined): boolean =>
  trigger?.status === 'active' || trigger?.status === 'resolved';

type Named = readonly [topic: string, trigger: Pick<Trigger, 'lastSeenMs'>];

/** Sorts topics by last sighting, newest first. Topics with the same timestamp are sorted by name. */
function compareRecency([topic, { lastSeenMs }]: Named, [other, { lastSeenMs: otherMs }]: Named): number {
  return otherMs - lastSeenMs || (topic < other ? -1 : 1);
}

/** Returns the triggers of a person by topic, as defined in the contract. */
export function toProfile(subjectId: string, triggers: ReadonlyMap<string, Trigger>, person?: PersonTurns) {
  const newestFirst = [...triggers].sort(compareRecency);
  const named = (status: TriggerStatus) => newestFirst.filter(([, it]) => it.status === status).map(([topic]) => topic);
  return {
    subject_id: subjectId,
    triggers: Object.fromEntries(
      newestFirst.map(([topic, trigger]) => [topic, toEntry(trigger, compareTopic(topic, triggers, person))]),
    ),
    active: named('active'),
    resolved: named('resolved'),
  };
}

/** Returns the status changes of a person's topics, as defined in the contract. */
export function toStatusChanges(triggers: ReadonlyMap<string, Trigger>) {
  const listed = ({ changes }: Trigger) =>
    changes.map(({ status, atMs }) => ({ status, timestamp: new Date(atMs).toISOString() }));
  return Object.fromEntries([...triggers].sort(compareRecency).map(([topic, trigger]) => [topic, listed(trigger)]));
}

function toEntry(
  { status, scoreSum, sightings, peakScore, sessions, lastSeenMs }: Trigger,
  effect: Effect | undefined,
) {
  return {
    status,
    avg_stress: Math.round((scoreSum / sightings) * 10) / 10,
    peak_stress: peakScore,
    sessions,
    last_seen: new Date(lastSeenMs).toISOString(),
    ...(effect && { effect: Math.round(effect.points * 10) / 10, evidence: effect.evidence }),
  };
}

/** A new subject without any data. */
export const unknownSubject: Subject = {};

type Seen = Pick<Trigger, 'status' | 'lastSeenMs'>;

/** Moves a topic to its position in the list of its status. Returns the same object if nothing changes. */
export function moveTopic(
  subject: Subject,
  topic: string,
  trigger: Seen,
  triggerOf: (other: string) => Seen | undefined,
): Subject {
  const isAhead = (other: string): boolean => {
    const known = triggerOf(other);
    return known !== undefined && compareRecency([other, known], [topic, trigger]) < 0;
  };
  const placed = (names: readonly string[] | undefined, status: TriggerStatus) =>
    trigger.status === status ? withName(names ?? [], topic, isAhead) : without(names, topic);
  const active = placed(subject.active, 'active');
  const resolved = placed(subject.resolved, 'resolved');
  const isSame = active === subject.active && resolved === subject.resolved;
  return isSame ? subject : { ...subject, active, resolved };
}

/** Returns the subject without a topic. Its turns remain turns of the person. */
export function removeTopic(subject: Subject, topic: string): Subject {
  const { active, resolved, turns } = subject;
  const others = (topics: OpenTurn['topics']) => topics.filter((it) => it !== topic);
  const open = turns?.open?.map((turn) => ({
    ...turn,
    topics: others(turn.topics),
    calmTopics: others(turn.calmTopics),
  }));
  return {
    ...subject,
    active: without(active, topic),
    resolved: without(resolved, topic),
    turns: open ? { ...turns, open } : turns,
  };
}

function withName(names: readonly string[], name: string, isAhead: (other: string) => boolean): readonly string[] {
  const others = without(names, name) ?? [];
  const behind = others.findIndex((other) => !isAhead(other));
  const at = behind < 0 ? others.length : behind;
  return names[at] === name ? names : [...others.slice(0, at), name, ...others.slice(at)];
}

/** Returns the list without `name`. Undefined if no name remains. */
function without(names: readonly string[] | undefined, name: string): readonly string[] | undefined {
  if (!names?.includes(name)) return names;
  return names.length > 1 ? names.filter((it) => it !== name) : undefined;
}
