import { readFile } from 'node:fs/promises';
import { bundle, type SiteFiles } from './files.js';
import { contract, operationHref, operations, tagSlug } from './contract.js';
import { homePage } from './home.js';
import { html } from './html.js';
import { layout, type Page, type Site } from './layout.js';
import { llmsFullText, llmsText } from './llms.js';
import { type Relink, renderPage } from './markdown.js';
import { type Guide, markdownPages, reference } from './pages.js';
import { referencePage, tagPage } from './reference.js';
import { referenceMarkdown } from './reference-markdown.js';
import { type RenderedGuide, searchEntries } from './search-entries.js';

/** Returns all files of the site. */
export async function listFiles(root: URL, site: Site): Promise<SiteFiles> {
  const guides = await Promise.all(markdownPages.map((it) => renderGuide(it, root)));
  const pages: Page[] = [
    home,
    { ...reference, kind: 'reference', content: referencePage() },
    ...contract.tags.map((tag): Page => {
      const slug = `${reference.slug}/${tagSlug(tag.name)}`;
      return { slug, title: tag.name, summary: tag.description, kind: 'reference', content: tagPage(tag) };
    }),
    ...guides.map(({ guide, content, sections }): Page => ({ ...guide, kind: 'guide', content, sections })),
  ];
  return new Map<string, string | Uint8Array>([
    ...pages.map((page) => [`${page.slug && `${page.slug}/`}index.html`, layout(page, site)] as const),
    ...guides.map(({ guide, markdown }) => [`${guide.slug}.md`, markdown] as const),
    ['404.html', layout(absent, site)],
    ['search.json', JSON.stringify(searchEntries(guides))],
    [`${reference.slug}.md`, referenceMarkdown()],
    ['llms.txt', llmsText()],
    ['llms-full.txt', llmsFullText(guides.map(({ markdown }) => markdown))],
    ['openapi.yaml', await readFile(new URL('openapi.yaml', root))],
    ['openapi.json', await readFile(new URL('generated/openapi.json', root))],
    ...(await readFigures(guides, root)),
    ['assets/icon.svg', await readFile(new URL('packages/docs/style/icon.svg', root))],
    ...(await bundle(new URL('packages/docs/', root), ['browser/main.ts', 'browser/theme.ts', 'style/style.css'])),
  ]);
}

/** Returns the figures that the guides contain. */
async function readFigures(guides: readonly GuidePage[], root: URL): Promise<[string, Uint8Array][]> {
  const names = guides.flatMap(({ markdown }) => [...markdown.matchAll(/!\[[^\]]*\]\((images\/[^)]+)\)/g)]);
  return Promise.all(names.map(async ([, name = '']) => [name, await readFile(new URL(`docs/${name}`, root))]));
}

const home: Page = {
  slug: '',
  kind: 'home',
  title: contract.info.title,
  summary: 'Computes the stress state of a person from signals, in real time.',
  content: homePage(),
};

const absent: Page = {
  slug: '404',
  kind: 'absent',
  title: 'Page not found',
  summary: 'This page does not exist.',
  content: html`<h1>Page not found</h1>
    <p>The documentation has no page at this address.</p>
    <p><a href="/docs/">Go to the start</a></p>`,
};

/** Comments that mark the figures that `npm run generate` fills in. */
const figureMark = /<!--= [\w. ]+ -->|<!--\/-->/g;

interface GuidePage extends RenderedGuide {
  readonly content: Page['content'];
  readonly markdown: string;
}

async function renderGuide(guide: Guide, root: URL): Promise<GuidePage> {
  const text = (await readFile(new URL(guide.source, root), 'utf8')).replace(figureMark, '');
  const relink = (places: Places) => relinkFrom(guide, root, places);
  return {
    guide,
    markdown: text.replace(/\]\(([^()\s]+)\)/g, (_, href: string) => `](${relink(markdownPlaces)(href)})`),
    ...renderPage(linkOperations(text), relink(pagePlaces)),
  };
}

/** Converts names of operations, e.g. `GET /v1/state`, to links to the reference. */
function linkOperations(markdown: string): string {
  return markdown.replace(/`([A-Z]+) (\/\S*)`/g, (text, method: string, path: string) => {
    const found = operations.find((it) => it.method === method && it.path === path);
    return found ? `[${text}](/${operationHref(found)})` : text;
  });
}

/** Paths of pages and files of the site, relative to a page. */
interface Places {
  readonly page: (slug: string) => string;
  readonly file: (name: string) => string;
}
const pagePlaces: Places = { page: (slug) => `../${slug}/`, file: (name) => `../${name}` };
/** In Markdown, the reference is one file. */
const markdownPlaces: Places = { page: (slug) => `${slug.split('/')[0]}.md`, file: (name) => name };

/**
 * Returns a function that converts links between source files to links between pages. Links to other files of the
 * project lead to its repository.
 */
function relinkFrom({ source }: Guide, root: URL, { page, file }: Places): Relink {
  return (href) => {
    if (/^(https?:|#)/.test(href)) return href;
    // Pages of the reference have no source file.
    const [, operationPage, anchor] = /^\/(reference\/[\w-]+)\/(#.*)$/.exec(href) ?? [];
    if (operationPage !== undefined) return page(operationPage) + anchor;
    const { pathname, hash } = new URL(href, new URL(source, root));
    const path = pathname.slice(root.pathname.length);
    const guide = markdownPages.find((it) => it.source === path);
    if (guide) return page(guide.slug) + hash;
    const name =
      /^(?:generated\/)?(openapi\.\w+)$/.exec(path)?.[1] ?? /^docs\/(images\/[\w-]+\.(?:svg|png))$/.exec(path)?.[1];
    return name === undefined ? `${contract.info.contact.url}/tree/main/${path}` : file(name);
  };
}
