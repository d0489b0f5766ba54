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

/** Puts a topic that was just seen first among those of its status; the same subject where it stands so already. */
export function nameTopic(subject: Subject, topic: string, status: TriggerStatus): Subject {
  const active = status === 'active' ? withFirst(subject.active, topic) : without(subject.active, topic);
  const resolved = status === 'resolved' ? withFirst(subject.resolved, topic) : without(subject.resolved, topic);
  const isSame = active === subject.active && resolved === subject.resolved;
  return isSame ? subject : { ...subject, active, resolved };
}

function withFirst(names: readonly string[], name: string): readonly string[] {
  return names[0] === name ? names : [name, ...without(names, name)];
}

function without(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names.filter((it) => it !== name) : names;
}
