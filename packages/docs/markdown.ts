import { Marked } from 'marked';
import { codeBlock } from './highlight.js';
import { type Html, escape, plainText, raw } from './html.js';

export interface Heading {
  readonly id: string;
  readonly depth: number;
  readonly text: string;
}

export interface Section extends Heading {
  /** Text of the section below its heading, without markup. */
  readonly body: string;
}

/** Converts a link of the source to a link of the site. */
export type Relink = (href: string) => string;

/** Converts a Markdown page to HTML. Also returns the headings with their text, for the search. */
export function renderPage(markdown: string, relink: Relink): { content: Html; sections: Section[] } {
  const headings: Heading[] = [];
  const content = marked(relink, headings).parse(withoutComments(markdown), { async: false });
  return { content: raw(content), sections: splitSections(content, headings) };
}

/** Path of the root of the site, relative to the page of a tag. */
export const rootOfTag = '../../';

/**
 * Converts a description from the contract to HTML. It may contain paragraphs, but no headings. `root` is the path of the
 * root of the site.
 */
export function prose(markdown: string, root = rootOfTag): Html {
  return raw(marked((href) => href, []).parse(linkGuides(markdown, root), { async: false }));
}

/** Converts a one-line description for use inside another element of the page of a tag. */
export function inline(markdown: string): Html {
  return raw(marked((href) => href, []).parseInline(linkGuides(markdown, rootOfTag), { async: false }));
}

/** Converts names of pages, e.g. `/docs/errors`, to links. */
function linkGuides(markdown: string, root: string): string {
  return markdown.replace(/`\/docs\/([\w-]+)(?:\/[^`]*)?`/g, (name, page: string) => `[${name}](${root}${page}/)`);
}

function withoutComments(markdown: string): string {
  return markdown.replace(/<!--[^]*?-->\n?/g, '');
}

function marked(relink: Relink, headings: Heading[]): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const label = plainText(this.parser.parseInline(tokens));
        const id = unique(slug(text), headings);
        headings.push({ id, depth, text: label });
        const anchor = depth > 1 ? `<a class="anchor" href="#${id}" aria-label="Link to ${escape(label)}">#</a>` : '';
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      code({ text, lang = '' }) {
        return String(codeBlock(text, lang));
      },
      table({ header, rows }) {
        const texts = (row: typeof header) => row.map((it) => this.parser.parseInline(it.tokens));
        const heads = texts(header);
        // On narrow screens, CSS shows each row as a list of values with column names.
        const cells = (row: typeof header) =>
          texts(row).map(
            (it, index) => `<td data-column="${escape(plainText(heads[index] ?? ''))}"><div>${it}</div></td>`,
          );
        const head = `<thead><tr>${heads.map((it) => (it === '' ? '<td></td>' : `<th>${it}</th>`)).join('')}</tr></thead>`;
        const body = `<tbody>${rows.map((row) => `<tr>${cells(row).join('')}</tr>`).join('')}</tbody>`;
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${head}${body}</table></div>`;
      },
      image({ href, text }) {
        return `<img src="${escape(relink(href))}" alt="${escape(text)}" loading="lazy">`;
      },
      link({ href, tokens }) {
        return `<a href="${escape(relink(href))}">${this.parser.parseInline(tokens)}</a>`;
      },
    },
  });
}

function splitSections(content: string, headings: readonly Heading[]): Section[] {
  return headings.map((heading) => {
    const [, after = ''] = content.split(`id="${heading.id}">`);
    const [body = ''] = after.slice(after.indexOf('</h')).split(/<h[1-6] id=/);
    return { ...heading, body: plainText(`<${body}`) };
  });
}

/**
 * Returns the anchor of a heading. It is the same as on code hosting sites, so that links into a guide work in both
 * places.
 */
function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function unique(id: string, headings: readonly Heading[]): string {
  const count = headings.filter((it) => it.id === id || it.id.startsWith(`${id}-`)).length;
  return headings.some((it) => it.id === id) ? `${id}-${count}` : id;
}
