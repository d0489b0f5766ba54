import type { Subject } from '../domain/subject.js';
import type { Trigger } from '../domain/triggers.js';

/** What is known here of a subject, as of one version of its row: whoever changes its triggers writes the row too. */
export interface KnownSubject {
  readonly subject: Subject;
  /** All of them, by topic; absent until somebody asked. Changes only once a transaction is committed. */
  readonly triggers: Map<string, Trigger> | undefined;
}

/** What a transaction knows of the triggers of the subjects that it has locked, by subject. */
export type KnownTriggers = Map<string, KnownSubject['triggers']>;
