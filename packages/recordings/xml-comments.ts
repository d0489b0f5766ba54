/** What begins a part of an XML text that may contain anything, and what ends it. */
const parts = [
  { begin: '<!--', end: '-->' },
  { begin: '<![CDATA[', end: ']]>' },
  { begin: '<?', end: '?>' },
] as const;
const [comment] = parts;
const begins = /<!--|<!\[CDATA\[|<\?/g;
/** A piece may end inside of the longest of these texts. */
const overlap = 8;

/**
 * Returns a function that removes the comments of a text that comes in pieces, and keeps their line breaks. The parser
 * collects a comment letter by letter and rejects a long one. The last call has no piece.
 */
export function createCommentFilter(): (piece?: string) => string {
  let rest = '';
  let part: (typeof parts)[number] | undefined;
  return (piece) => {
    const text = rest + (piece ?? '');
    let [kept, at] = ['', 0];
    const keep = (until: number) => {
      const passed = text.slice(at, until);
      kept += part === comment ? passed.replace(/[^\n]+/g, '') : passed;
      at = until;
    };
    for (;;) {
      begins.lastIndex = at;
      const found = part ? text.indexOf(part.end, at) : (begins.exec(text)?.index ?? -1);
      if (found < 0) break;
      if (part) {
        keep(part === comment ? found : found + part.end.length);
        if (part === comment) at = found + part.end.length;
        part = undefined;
      } else {
        keep(found);
        part = parts.find(({ begin }) => text.startsWith(begin, found));
        if (part === comment) at = found + part.begin.length;
        // Otherwise, the end is searched after the begin, which is kept.
        else if (part) keep(found + part.begin.length);
      }
    }
    keep(piece === undefined ? text.length : Math.max(at, text.length - overlap));
    rest = text.slice(at);
    return kept;
  };
}
