import type { Trigger } from '../score/triggers.js';
import type { Subject } from '../score/remembered.js';

/**
 * Cached data of a subject for one version of its row. Each change of the triggers also writes the subject row, which
 * changes the version.
 */
export interface KnownSubject {
  readonly subject: Subject;
  /** All triggers, by topic. Undefined until they are read. Updated only after a commit. */
  readonly triggers: Map<string, Trigger> | undefined;
}

/** Cached triggers of the locked subjects, by subject id. */
export type KnownTriggers = Map<string, KnownSubject['triggers']>;
