import { inSlices, type Pause, sliceItems } from '../store/scope.js';

/** Returns the JSON text of a body. Serializes long lists in parts, so that a large response blocks no other work. */
export async function stringifyInSlices(body: object, pause: Pause): Promise<string> {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const isLong = Array.isArray(value) && value.length > sliceItems;
    const text = isLong ? await stringifyList(value, pause) : JSON.stringify(value);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join()}}`;
}

async function stringifyList(items: readonly unknown[], pause: Pause): Promise<string> {
  const parts: string[] = [];
  for await (const part of inSlices(items, pause)) parts.push(JSON.stringify(part).slice(1, -1));
  return `[${parts.join()}]`;
}
