/** One observation of a scenario. */
export interface Finding {
  readonly what: string;
  readonly found: number;
  /** Maximum value that passes. Absent: a figure without a verdict. */
  readonly allowed?: number;
  /** Target for the value. A missed target is printed and does not fail the check. */
  readonly target?: number;
}

export function isBroken({ found, allowed }: Finding): boolean {
  // A missing measurement fails.
  return allowed !== undefined && !(found <= allowed);
}

export function isTargetMissed({ found, target }: Finding): boolean {
  return target !== undefined && !(found <= target);
}

/** Returns a finding that passes if the condition is true. */
export function must(what: string, isTrue: boolean): Finding {
  return { what: `not so: ${what}`, found: isTrue ? 0 : 1, allowed: 0 };
}
