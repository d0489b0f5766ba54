/** Something that was started and has to be let go. */
export interface Closable {
  close(): Promise<void>;
}

/** Keeps what is started, to be let go in reverse order. Returns what it is given. */
export type Keep = <Part extends Closable>(part: Part) => Part;

/** Starts parts one after the other. When one does not start, those before it are let go and the error goes on. */
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
