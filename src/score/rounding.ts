/** Rounds to three decimals. Sessions and baselines store rounded numbers to keep their rows short and readable. */
export function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Rounds to six decimals. Used for running means, which a reading may change by very little. */
export function round6(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
