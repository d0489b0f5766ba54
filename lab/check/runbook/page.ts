import { readFile } from 'node:fs/promises';
import { root } from '../../../testkit/service.js';

/** A block of commands of the page. */
export interface Block {
  readonly name: string;
  /** Machines that the marker names. */
  readonly machines: readonly string[];
  /** Exactly as written, without the indentation of its list. */
  readonly code: string;
}

/** `<!-- run NAME on MACHINE … -->` in the line before a block, both with the same indentation. */
const marked = /^( *)<!-- run (\w+) on ([\w ]+) -->\n\1```sh\n([^]*?)^\1```$/gm;

/** Returns the marked blocks of a guide by name. Rejects if a marker has no block or a name occurs twice. */
export async function readBlocks(file: string): Promise<ReadonlyMap<string, Block>> {
  const guide = await readFile(new URL(file, root), 'utf8');
  const blocks = [...guide.matchAll(marked)].map(([, indent = '', name = '', machines = '', code = '']): Block => {
    const lines = code.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    return { name, machines: machines.split(' '), code: lines.join('\n') };
  });
  const byName = new Map(blocks.map((block) => [block.name, block]));
  const markers = guide.split('<!-- run ').length - 1;
  if (byName.size !== markers) throw new Error(`${file} has ${markers} markers and ${byName.size} named blocks`);
  return byName;
}
