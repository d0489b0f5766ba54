export interface WorkerLoad {
  readonly slotsInUse: number;
  readonly agesSeconds: readonly number[];
}

/** Tracks the deliveries in progress and their ages, in seconds of the monotonic clock. */
export function createDeliveriesInFlight() {
  const startedAtMs = new Map<Promise<void>, number>();
  return {
    add(work: Promise<void>): void {
      startedAtMs.set(work, performance.now());
      void work.finally(() => startedAtMs.delete(work));
    },
    all: (): Promise<void>[] => [...startedAtMs.keys()],
    ages: (): number[] => [...startedAtMs.values()].map((atMs) => (performance.now() - atMs) / 1000),
  };
}
