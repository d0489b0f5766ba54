const owed = new Set<() => Promise<void>>();

/**
 * Registers a cleanup function that must run before the process exits. Returns a function that runs it at most once.
 */
export function owe(undo: () => Promise<void>): () => Promise<void> {
  const undoOnce = async () => {
    if (owed.delete(undoOnce)) await undo();
  };
  owed.add(undoOnce);
  return undoOnce;
}

/** Runs all pending cleanup functions when the process is interrupted. If one fails, the others still run. */
export async function settleOwed(): Promise<void> {
  // Starts all functions synchronously, because the process must not continue between two of them.
  await Promise.allSettled([...owed].map((undo) => undo()));
}
