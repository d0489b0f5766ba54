import type { Subject } from '../domain/subject.js';
import type { Trigger } from '../domain/triggers.js';

/** What is known here of a subject, as of one version of its row: whoever changes its triggers writes the row too. */
export interface KnownSubject {
  readonly subject: Subject;
  /** As far as they have been asked for, by topic; undefined where there is none. */
  readonly triggers: ReadonlyMap<string, Trigger | undefined>;
}

/** What a transaction learns of the triggers of the subjects that it has locked, by subject and topic. */
export type KnownTriggers = Map<string, Map<string, Trigger | undefined>>;
