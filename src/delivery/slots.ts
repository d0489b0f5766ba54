/** At most so many deliveries in hand, until they are settled. */
const slotsMax = 512;
/** At most so many attempts against one receiver at once: a dead one holds up nobody else. */
export const slotsPerReceiver = 4;

/** Counts deliveries in hand, and attempts under way by receiver. */
export function createSlots() {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    /** For so many more deliveries there is room. */
    free: (): number => slotsMax - total,
    freeOf: (receiver: string): number => slotsPerReceiver - (taken.get(receiver) ?? 0),
    busyReceivers: (): string[] => [...taken].filter(([, count]) => count >= slotsPerReceiver).map(([name]) => name),
    take(receiver: string): void {
      total += 1;
      taken.set(receiver, (taken.get(receiver) ?? 0) + 1);
    },
    /** The attempt has ended. */
    leave(receiver: string): void {
      const left = (taken.get(receiver) ?? 0) - 1;
      if (left > 0) taken.set(receiver, left);
      else taken.delete(receiver);
    },
    /** The delivery is settled, or let go. */
    release(): void {
      total -= 1;
    },
  };
}

export type Slots = ReturnType<typeof createSlots>;
