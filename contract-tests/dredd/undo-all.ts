export type Undo = () => Promise<unknown>;

/** Runs all functions in order and empties the list, even if some fail. Then rejects with the first error. */
export async function undoAll(undos: Undo[]): Promise<void> {
  const faults: unknown[] = [];
  for (const undo of undos.splice(0)) await undo().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
}
