const undos: Array<() => Promise<unknown>> = [];

/** Runs the work when the tests of the current file have ended. */
export function atEndOfFile(undo: () => Promise<unknown>): void {
  undos.push(undo);
}

/** Runs the registered work. Only support/end-of-file.ts calls this function. */
export async function undoAtEndOfFile(): Promise<void> {
  for (const undo of undos.splice(0)) await undo();
}
