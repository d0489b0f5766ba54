/** One observation of a scenario. */
export interface Finding {
  readonly what: string;
  readonly found: number;
  /** The largest value that counts as holding. Absent: a figure without a verdict. */
  readonly allowed?: number;
  /** The largest value that meets the target. A missed target is printed and never fails the check. */
  readonly target?: number;
}

export function isBroken({ found, allowed }: Finding): boolean {
  // A value that was not measured is no proof.
  return allowed !== undefined && !(found <= allowed);
}

export function isTargetMissed({ found, target }: Finding): boolean {
  return target !== undefined && !(found <= target);
}

/** A finding that holds only where the condition is true. */
export function must(what: string, isTrue: boolean): Finding {
  return { what: `not so: ${what}`, found: isTrue ? 0 : 1, allowed: 0 };
}
