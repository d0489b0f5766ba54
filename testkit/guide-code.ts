import { readFile } from 'node:fs/promises';
import { root } from './service.js';

/** Returns the code block of a guide that contains a text, exactly as written. */
export async function guideCode(file: string, text: string): Promise<string> {
  const guide = await readFile(new URL(file, root), 'utf8');
  const blocks = [...guide.matchAll(/```\w+\n(.*?)```/gs)].map(([, code = '']) => code);
  const found = blocks.find((code) => code.includes(text));
  if (found === undefined) throw new Error(`${file} has no code block with ${text}`);
  return found;
}
