const undos: Array<() => Promise<unknown>> = [];

/** Runs the work when the tests of the present file have ended. */
export function atEndOfFile(undo: () => Promise<unknown>): void {
  undos.push(undo);
}

/** Called by support/end-of-file.ts alone. */
export async function undoAtEndOfFile(): Promise<void> {
  for (const undo of undos.splice(0)) await undo();
}
