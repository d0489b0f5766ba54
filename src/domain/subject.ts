import type { Baseline } from './baseline.js';
import type { TriggerStatus } from './triggers.js';

/** What is remembered of a person across sessions, but for the triggers themselves; plain JSON. */
export interface Subject {
  readonly baseline?: Baseline;
  /** Names of topics by status, most recently seen first; every reading of the person tells them. */
  readonly active: readonly string[];
  readonly resolved: readonly string[];
}

/** A person of whom nothing is known yet. */
export const unknownSubject: Subject = { active: [], resolved: [] };

/** Puts a topic that was just seen first among those of its status. */
export function nameTopic(subject: Subject, topic: string, status: TriggerStatus): Subject {
  const others = (names: readonly string[]) => names.filter((name) => name !== topic);
  const first = (names: readonly string[], its: TriggerStatus) =>
    its === status ? [topic, ...others(names)] : others(names);
  return { ...subject, active: first(subject.active, 'active'), resolved: first(subject.resolved, 'resolved') };
}
