import type { ProblemError } from '../contract/problem.js';
import type { TopicStress } from '../../packages/score/attribution.js';
import type { FinishedTurn } from '../../packages/score/response.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import type { SessionStep } from '../../packages/score/session.js';
import type { SessionEvent } from '../../packages/score/states.js';
import type { TopicName } from '../../packages/text/vocabulary.js';
import type { ErasedId } from '../store/erased-ids.js';
import type { FactOfPerson } from '../store/facts.js';
import type { KnownSample, StoredSample } from '../store/samples.js';
import type { StoredSession } from '../store/sessions.js';
import type { TriggersBySubject } from '../store/triggers.js';
import type { CoveredReading } from './covering.js';
import type { PreparedReading, SampleIdentity } from './prepared-reading.js';

/*
 * What the steps of `account.ts` share while they process the readings of one account in a group. Types only.
 */

type AdvancedSession = StoredSession & { readonly session: Session };

/** Intermediate results for the readings of one account in a group. */
export interface GroupProgress {
  readonly sessions: Map<string, StoredSession>;
  readonly subjects: Map<string, Subject | undefined>;
  /** Other sessions whose signals the readings need. Not locked, because the locks of their subjects protect them. */
  readonly others?: ReadonlyMap<string, Session>;
  /** Responses to readings that are already stored, by reading key. */
  readonly alreadyStored: ReadonlyMap<string, ComputedState>;
  /** Absent if no reading of the group has a sample. */
  readonly samples?: KnownSamples | undefined;
  /** Facts that may cover the readings, by person. Absent if no person of the group has any. */
  readonly facts?: ReadonlyMap<string, readonly FactOfPerson[]> | undefined;
  /** Accepted readings of this group, by reading key. Used to detect duplicates within the group. */
  readonly taken: Map<string, AcceptedReading>;
  readonly changedSessions: Map<string, AdvancedSession>;
  readonly changedSubjects: Map<string, Subject>;
  /** Returns the time of the newest erasure of a session or subject, in epoch ms. 0 if there is none. */
  readonly erasedAtMs: (erased: ErasedId) => number;
  /** Time of processing in epoch ms. The same for the whole group. */
  readonly nowMs: number;
}

/** An accepted reading and its effect on the session. */
export interface AcceptedReading {
  readonly kind: 'taken';
  readonly submitted: PreparedReading;
  readonly incarnation: string;
  readonly step: SessionStep;
  readonly topics: readonly TopicName[];
  /** The topics whose stress this reading determines or raises. Absent if there are none. */
  readonly credit: TopicStress | undefined;
  /** The topics that the turn mentions without a concern. Absent if there are none. */
  readonly calm: TopicStress | undefined;
  /** Turns of the person whose stress is complete with this reading. */
  readonly finished: readonly FinishedTurn[];
  /** Absent if the state did not change. */
  readonly event: SessionEvent | undefined;
}

/**
 * Outcome of a reading: already stored, duplicate within its group, rejected, or accepted. One with a known sample
 * replaces the stored reading (`replaced`), or changes nothing (`kept`).
 */
export type ProcessedReading =
  | { readonly kind: 'stored'; readonly computed: ComputedState }
  | { readonly kind: 'same'; readonly as: AcceptedReading }
  | { readonly kind: 'refused'; readonly refusal: ProblemError }
  | { readonly kind: 'kept'; readonly of: ReplacingReading['of'] }
  | ReplacingReading
  | AcceptedReading;

/** The samples of the readings of a group, and the hours that are stored as summaries. */
export interface KnownSamples {
  /** By session and sample. Of a sample that this group stores or replaces, its last body. */
  readonly known: Map<string, SampleInGroup>;
  readonly storedHours: ReadonlySet<string>;
}

export type SampleInGroup = KnownSample & {
  /** The reading: a stored one, or one that this group accepted. */
  readonly reading: StoredSample | AcceptedReading;
};

/** A reading that replaces the content of another one. */
export interface ReplacingReading {
  readonly kind: 'replaced';
  readonly submitted: PreparedReading;
  readonly incarnation: string;
  readonly of: StoredSample | AcceptedReading;
  /** What the reading states, and how it is scored. */
  readonly scored: CoveredReading;
  readonly dropped: readonly string[] | undefined;
}

export type SampledReading = PreparedReading & { readonly sample: SampleIdentity };

/** The states after the readings of a group, and the triggers that the group changed, by subject and topic. */
export interface CompletedGroup {
  /** The computed state after each accepted reading, in the order of the group. */
  readonly computed: ReadonlyMap<AcceptedReading, ComputedState>;
  readonly triggers: TriggersBySubject;
}
