const owed = new Set<() => Promise<void>>();

/** Keeps in mind what must be undone before the program ends, until that was done; what comes back does it, once. */
export function owe(undo: () => Promise<void>): () => Promise<void> {
  const undoOnce = async () => {
    if (owed.delete(undoOnce)) await undo();
  };
  owed.add(undoOnce);
  return undoOnce;
}

/** Undoes all that is still owed, for a program that is interrupted. What fails keeps nothing else from it. */
export async function settleOwed(): Promise<void> {
  // All begun at once: the program must not go on between one and the next.
  await Promise.allSettled([...owed].map((undo) => undo()));
}
