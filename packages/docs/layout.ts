import { contract, operationHref, operations } from './contract.js';
import { type Html, html } from './html.js';
import type { Section } from './markdown.js';
import { changelog, gettingStarted, groups, guides, reference } from './pages.js';

export interface Page {
  /** Folder of the page. An empty slug is the root of the site. */
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly content: Html;
  /** Headings for the table of contents of a guide. */
  readonly sections?: readonly Section[];
  readonly kind: 'home' | 'guide' | 'reference' | 'absent';
}

export interface Site {
  /** URL of the service, if another server serves the pages. */
  readonly server: string | undefined;
}

/** Returns a complete page. Its links are relative, so that the site works under any URL. */
export function layout(page: Page, { server }: Site): string {
  // Uses absolute links in the not-found page, because the service returns it for paths of any depth.
  const root = page.kind === 'absent' ? '/docs/' : page.slug === '' ? './' : '../'.repeat(page.slug.split('/').length);
  return String(
    html`<!doctype html>
      <html lang="en" data-root="${root}" ${server !== undefined && html`data-server="${server}"`}>
        ${documentHead({ root, title: page.slug === '' ? undefined : page.title, summary: page.summary, blockingScript: 'theme.js' })}
        <body class="${page.kind}">
          <a class="skip" href="#main">Skip to the content</a>
          ${topBar(root)}
          <div class="frame">
            <nav class="side" id="side" aria-label="Pages">${sideNav(page, root)}</nav>
            <main id="main" tabindex="-1">
              ${page.content}${page.kind === 'guide' && nextPage(page, root)}${page.kind !== 'absent' && foot(root)}
            </main>
            ${page.kind === 'guide' && onThisPage(page, root)}
          </div>
        </body>
      </html> `,
  );
}

export interface DocumentHead {
  /** Relative or absolute path of the site, with a slash at its end. */
  readonly root: string;
  /** Absent for the first page of the site. */
  readonly title?: string | undefined;
  readonly summary: string;
  /** Script of `assets/` that runs before the page is shown. */
  readonly blockingScript: string;
  /** Instruction to search engines, e.g. noindex. */
  readonly robots?: string;
}

/** Returns the head of a page. */
export function documentHead({ root, title, summary, blockingScript, robots }: DocumentHead): Html {
  return html`<head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title === undefined ? contract.info.title : `${title} · ${contract.info.title}`}</title>
    <meta name="description" content="${summary}" />
    ${robots !== undefined && html`<meta name="robots" content="${robots}" />`}
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="${root}assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${root}assets/style.css" />
    <script src="${root}assets/${blockingScript}"></script>
    <script src="${root}assets/main.js" type="module"></script>
  </head>`;
}

function topBar(root: string): Html {
  return html`<header class="top">
    <button
      type="button"
      class="icon-button menu"
      data-menu
      aria-controls="side"
      aria-expanded="false"
      aria-label="Menu"
    >
      ${icon('M4 7h16M4 12h16M4 17h16')}
    </button>
    <a class="brand" href="${root}" aria-label="Real-time State, start">${logo()}<span>Real-time State</span></a>
    <form class="search" role="search" data-search>
      ${icon('M11 4a7 7 0 1 0 0 14a7 7 0 0 0 0-14M16 16l5 5')}
      <input
        type="search"
        name="q"
        placeholder="Search"
        aria-label="Search the documentation"
        role="combobox"
        aria-expanded="false"
        aria-controls="found"
        aria-autocomplete="list"
        autocomplete="off"
        spellcheck="false"
      />
      <kbd aria-hidden="true">Ctrl K</kbd>
      <div class="found" id="found" role="listbox" aria-label="Results" hidden></div>
    </form>
    <a class="top-link" href="${root}reference/">Reference</a>
    <button type="button" class="icon-button" data-theme-toggle aria-label="Switch between light and dark">
      ${icon('M12 3a9 9 0 1 0 9 9a7 7 0 0 1-9-9z')}
    </button>
  </header>`;
}

function sideNav(page: Page, root: string): Html {
  const link = ({ slug, title }: { slug: string; title: string }) =>
    html`<li><a href="${root}${slug}/" ${slug === page.slug && html`aria-current="page"`}>${title}</a></li>`;
  return html` <ul>
      ${link(gettingStarted)}
    </ul>
    ${groups.map(
      (it) =>
        html`<h2>${it.title}</h2>
          <ul>
            ${it.guides.map(link)}
          </ul>`,
    )}
    <h2>Reference</h2>
    <ul>
      ${link({ slug: reference.slug, title: 'Overview' })}
    </ul>
    ${contract.tags.map(
      ({ name }) =>
        html`<h3>${name}</h3>
          <ul>
            ${operationLinks(name, root)}
          </ul>`,
    )}
    <h2>More</h2>
    <ul>
      ${link(changelog)}
      <li><a href="${root}openapi.yaml">openapi.yaml</a></li>
      <li><a href="${root}openapi.json">openapi.json</a></li>
      <li><a href="${root}reference.md">reference.md</a></li>
      <li><a href="${root}llms.txt">llms.txt</a></li>
      <li><a href="${root}llms-full.txt">llms-full.txt</a></li>
    </ul>`;
}

function operationLinks(tag: string, root: string): Html[] {
  return operations
    .filter((it) => it.tag === tag)
    .map(
      (operation) =>
        html`<li>
          <a href="${root}${operationHref(operation)}" data-spy="${operation.id}"
            ><span class="cut">${operation.summary}</span>${methodBadge(operation.method)}</a
          >
        </li>`,
    );
}

/** Returns the badge of a method. Shortens DELETE, because the list is narrow. */
export function methodBadge(method: string): Html {
  return html`<span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span>`;
}

/** Returns a link to the next guide in reading order. */
function nextPage({ slug }: Page, root: string): Html | undefined {
  const order = [gettingStarted, ...guides, reference];
  const next = order[order.findIndex((it) => it.slug === slug) + 1];
  if (slug === changelog.slug || !next) return undefined;
  return html`<p class="next">
    <a class="card hint" href="${root}${next.slug}/">Next<strong>${next.title}</strong>${next.summary}</a>
  </p>`;
}

function onThisPage({ slug, sections = [] }: Page, root: string): Html {
  const entries = sections.filter(({ depth }) => depth === 2);
  return html`<aside class="contents" aria-label="On this page">
    <h2>On this page</h2>
    <ul>
      ${entries.map(({ id, text }) => html`<li><a href="#${id}" data-spy="${id}">${text}</a></li>`)}
    </ul>
    <p><a href="${root}${slug}.md">This page as Markdown</a></p>
  </aside>`;
}

function foot(root: string): Html {
  return html`<footer>
    <p class="hint">
      ${contract.info.title} ${contract.info.version} · <a href="${root}changelog/">Changelog</a> ·
      <a href="${root}openapi.yaml">OpenAPI</a>
    </p>
    <p class="hint">Not a medical device. Scores are for adapting software to people, not for diagnosis.</p>
  </footer>`;
}

export function icon(path: string): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d="${path}" />
  </svg>`;
}

export function logo(): Html {
  return html`<svg class="logo" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M5 17h5l3-8l5 15l3.500-10l1.500 3h4" />
  </svg>`;
}
