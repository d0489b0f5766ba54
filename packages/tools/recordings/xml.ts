import { createReadStream } from 'node:fs';
import sax from 'sax';
import type { Item } from './measurement.js';

/** Elements of the formats are nested up to nine deep. Bounds the memory for open elements of a hostile file. */
const depthMax = 32;
/** An element of the formats has at most 10 attributes. */
const attributesMax = 100;
/** Texts that are read are times and numbers. A longer text is cut. */
const textMaxCharacters = 64;

export interface XmlFormat {
  /** Name of the root element, without a prefix. */
  readonly root: string;
  /** The file to pass instead, e.g. `export.xml of Apple Health`. */
  readonly expected: string;
  /** What to do with a damaged file. */
  readonly remedy: string;
}

export interface XmlHandlers {
  /** Called at the start of an element. `add` keeps an item. */
  onOpen?(name: string, attributes: Readonly<Record<string, string | undefined>>, add: (item: Item) => void): void;
  /** Called at the end of an element. `path` has the names of all open elements, and of this one last. */
  onClose?(path: readonly string[], text: string, add: (item: Item) => void): void;
}

/**
 * Reads an XML file as a stream. Names have no prefix. The parser bounds each attribute and the document type to 64 KB,
 * and ignores its declarations, so that no entity of the file is expanded. It does not bound the number of attributes.
 */
export async function* readXml(
  path: string,
  { root, expected, remedy }: XmlFormat,
  { onOpen, onClose }: XmlHandlers,
): AsyncGenerator<readonly Item[]> {
  const parser = sax.parser(true);
  let items: Item[] = [];
  const open: string[] = [];
  let text = '';
  let failure: string | undefined;
  const add = (item: Item) => void items.push(item);
  const fail = (problem: string) => (failure ??= `line ${parser.line + 1}: ${problem}`);
  parser.onerror = (error) => {
    fail(`not valid XML (${error.message.split('\n')[0]}): ${remedy}`);
    // Without this call, the parser throws on the next write.
    parser.resume();
  };
  let attributeCount = 0;
  parser.onopentagstart = () => (attributeCount = 0);
  parser.onattribute = () => {
    attributeCount += 1;
    if (attributeCount > attributesMax) fail(`more than ${attributesMax} attributes in one element: pass ${expected}`);
  };
  parser.onopentag = ({ name, attributes }) => {
    const local = dropPrefix(name);
    if (open.length === 0 && local !== root)
      fail(`the root element is ${name.slice(0, 64)}, not ${root}: pass ${expected}`);
    open.push(local);
    text = '';
    if (open.length > depthMax) fail(`more than ${depthMax} nested elements: pass ${expected}`);
    if (failure === undefined) onOpen?.(local, attributes as Record<string, string | undefined>, add);
  };
  if (onClose)
    parser.ontext = (part) => {
      if (text.length < textMaxCharacters) text += part.slice(0, textMaxCharacters);
    };
  parser.onclosetag = () => {
    if (failure === undefined) onClose?.(open, text.trim(), add);
    open.pop();
    text = '';
  };
  let isStart = true;
  for await (const chunk of createReadStream(path, 'utf8')) {
    // Some apps write spaces before the XML declaration, which XML forbids.
    parser.write(isStart ? (chunk as string).trimStart() : (chunk as string));
    isStart = false;
    if (failure !== undefined) throw new Error(failure);
    yield items;
    items = [];
  }
  parser.close();
  if (failure !== undefined) throw new Error(failure);
}

function dropPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
