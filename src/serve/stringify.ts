import { inSlices, type Pause, sliceItems } from '../store/scope.js';

type Replacer = ((name: string, value: unknown) => unknown) | undefined;

/** Returns the JSON text of a body. Serializes long lists in parts, so that a large response blocks no other work. */
export async function stringifyInSlices(body: object, pause: Pause, replacer?: Replacer): Promise<string> {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const isLong = Array.isArray(value) && value.length > sliceItems;
    const text = isLong
      ? await stringifyList(value, pause, replacer)
      : JSON.stringify(replacer?.(name, value) ?? value, replacer);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join()}}`;
}

async function stringifyList(items: readonly unknown[], pause: Pause, replacer: Replacer): Promise<string> {
  const parts: string[] = [];
  for await (const part of inSlices(items, pause)) parts.push(JSON.stringify(part, replacer).slice(1, -1));
  return `[${parts.join()}]`;
}
