/** One observation of a scenario. */
export interface Finding {
  readonly what: string;
  readonly found: number;
  /** Maximum value that passes. Absent if the figure is only reported. */
  readonly allowed?: number;
  /** Target of the value. A missed target is printed, but the check does not fail. */
  readonly target?: number;
}

export function isBroken({ found, allowed }: Finding): boolean {
  // A missing measurement (NaN) fails.
  return allowed !== undefined && !(found <= allowed);
}

export function isTargetMissed({ found, target }: Finding): boolean {
  return target !== undefined && !(found <= target);
}

/** Returns a finding that passes if the condition is true. */
export function must(what: string, isTrue: boolean): Finding {
  return { what: `not true: ${what}`, found: isTrue ? 0 : 1, allowed: 0 };
}
