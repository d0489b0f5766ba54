export type TriggerStatus = 'observed' | 'active' | 'resolved';

/** Stress history of one topic for one person. Plain JSON. */
export interface Trigger {
  readonly status: TriggerStatus;
  /** Exponentially weighted score over the sightings, 0–100. Rounded to 6 decimals, which databases print exactly. */
  readonly recent: number;
  /** Sum of the scores, number of sightings, and highest score. */
  readonly scoreSum: number;
  readonly sightings: number;
  readonly peakScore: number;
  /** Number of distinct sessions. */
  readonly sessions: number;
  /** Timestamp of the newest sighting in epoch ms. */
  readonly lastSeenMs: number;
  /** Stress of the complete turns since the topic was last resolved. Absent without one. */
  readonly measured?: StressSums | undefined;
  /** The latest activation. Absent if the trigger has never been active. */
  readonly activation?: Activation;
  /**
   * The latest status changes, in order of arrival. A change by a late reading is appended, not inserted, because earlier
   * responses cannot be changed. An activation has the time at which it was stored, in epoch ms.
   */
  readonly changes: ReadonlyArray<{
    readonly status: TriggerStatus;
    readonly atMs: number;
    readonly storedMs?: number;
  }>;
}

export interface Activation {
  readonly sessionId: string;
  readonly atMs: number;
  /** Number of sightings since the activation that support a resolution. */
  readonly resolving: number;
}

/** Weighted sums over conversation turns. Plain JSON. */
export interface StressSums {
  /** Number of turns. A turn during movement counts less than one. */
  readonly turns: number;
  /** Sum of the stress of the turns. */
  readonly sum: number;
  /** Sum of the squared stress of the turns. */
  readonly squares: number;
}
