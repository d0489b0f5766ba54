/** A started part that must be closed. */
export interface Closable {
  close(): Promise<void>;
}

/** Registers a started part and returns it. The parts are closed in reverse order of registration. */
export type Keep = <Part extends Closable>(part: Part) => Part;

/** Starts parts in order. If a part fails to start, closes the started parts and rejects with its error. */
export async function startAll<Result>(
  start: (keep: Keep) => Promise<Result>,
): Promise<{ readonly result: Result; close(): Promise<void> }> {
  const parts: Closable[] = [];
  const keep: Keep = (part) => {
    parts.push(part);
    return part;
  };
  const close = async () => {
    for (const part of parts.splice(0).reverse()) await part.close();
  };
  try {
    return { result: await start(keep), close };
  } catch (error) {
    await close();
    throw error;
  }
}
