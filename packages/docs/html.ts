/** HTML that is safe to insert: created by `html`, or marked as safe by `raw`. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type Content = Html | string | number | false | undefined | readonly Content[];

/** Template tag that escapes inserted strings. Inserted lists add all their items. false and undefined add nothing. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + toText(contents[index])).join(''));
}

/** Marks text as safe HTML. */
export function raw(text: string): Html {
  return new Html(text);
}

export function escape(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (it) => entities[it] ?? it);
}

/** Returns the visible text, without tags. */
export function plainText(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

function toText(content: Content): string {
  if (content === undefined || content === false) return '';
  if (content instanceof Html) return content.text;
  if (typeof content === 'object') return content.map(toText).join('');
  return escape(String(content));
}
