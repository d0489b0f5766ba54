/** Divides an amount among callers. */
export function createShares(total: number) {
  const held = new Map<string, number>();
  let free = total;
  return {
    /** A negative amount is given back. Returns false if the caller would hold more than what remains for others. */
    take(caller: string, amount: number): boolean {
      const taken = (held.get(caller) ?? 0) + amount;
      if (amount > 0 && taken > free) return false;
      free -= amount;
      if (taken > 0) held.set(caller, taken);
      else held.delete(caller);
      return true;
    },
  };
}
