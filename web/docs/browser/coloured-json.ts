import { element } from './dom.js';

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Returns JSON as elements, with the colors of the samples. */
export function colouredJson(text: string): (string | Node)[] {
  const parts: (string | Node)[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon = '', index } of text.matchAll(tokens)) {
    const kind = string === undefined ? 'number' : colon ? 'attr' : 'string';
    parts.push(text.slice(end, index), element('span', `hljs-${kind}`, string ?? token), colon);
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
}
