import type { SearchEntry } from '../search-entries.js';
import { createIndex, type Found, type Index } from './find.js';
import { all, element, one, siteUrl } from './page.js';

const shownMax = 12;
const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Starts the search of the top bar: Ctrl-K or "/" focuses it, arrow keys select, Enter opens. Loads its index on first use. */
export function startSearch(): void {
  const form = one<HTMLFormElement>('[data-search]');
  const input = one<HTMLInputElement>('input', form);
  const list = one('.found', form);
  let index: Promise<Index> | undefined;

  const update = async () => {
    index ??= loadIndex();
    const query = input.value.trim();
    const found = query === '' ? [] : (await index).find(query);
    // Ignores an outdated result, because a newer input event has its own update.
    if (query === input.value.trim()) show(list, found.slice(0, shownMax), query);
    input.ariaExpanded = String(!list.hidden);
    input.removeAttribute('aria-activedescendant');
  };
  input.addEventListener('input', () => void update());
  input.addEventListener('focus', () => void update());
  input.addEventListener('keydown', (event) => choose(event, input, list));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    all<HTMLAnchorElement>('a', list).at(0)?.click();
  });
  list.addEventListener('click', () => close(input, list));
  addEventListener('click', (event) => {
    if (!form.contains(event.target as Node)) close(input, list);
  });
  addEventListener('keydown', (event) => focusOnShortcut(event, input));
  if (isMac) one('kbd', form).textContent = '⌘ K';
}

async function loadIndex(): Promise<Index> {
  const answer = await fetch(new URL('search.json', siteUrl));
  return createIndex((await answer.json()) as SearchEntry[]);
}

function show(list: HTMLElement, found: readonly Found[], query: string): void {
  list.hidden = query === '';
  list.replaceChildren(...found.map(link));
  if (found.length === 0 && query !== '') list.append(element('p', 'hint', `No results for “${query}”`));
}

function link({ title, place, href, text }: Found, index: number): HTMLElement {
  const made = element(
    'a',
    '',
    element('strong', '', title),
    element('span', 'hint', place),
    element('span', 'text cut hint', text),
  );
  made.id = `found-${index}`;
  made.role = 'option';
  made.tabIndex = -1;
  made.setAttribute('href', new URL(href, siteUrl).href);
  return made;
}

function choose(event: KeyboardEvent, input: HTMLInputElement, list: HTMLElement): void {
  if (event.key === 'Escape') return close(input, list);
  const links = all('a', list);
  const at = links.findIndex((it) => it.ariaSelected === 'true');
  if (event.key === 'Enter' && at >= 0) {
    event.preventDefault();
    return links[at]?.click();
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || links.length === 0) return;
  event.preventDefault();
  const next = links.at((Math.max(at, step === 1 ? -1 : 0) + step) % links.length);
  for (const it of links) it.ariaSelected = String(it === next);
  next?.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', next?.id ?? '');
}

function close(input: HTMLInputElement, list: HTMLElement): void {
  list.hidden = true;
  input.ariaExpanded = 'false';
  input.removeAttribute('aria-activedescendant');
}

/** Focuses the search on a keyboard shortcut. Ctrl-K and ⌘ K work everywhere, "/" only outside of text fields. */
function focusOnShortcut(event: KeyboardEvent, input: HTMLInputElement): void {
  const isWriting = (event.target as Element).matches('input, textarea, select');
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
  const isSlash = event.key === '/' && !isWriting && !hasModifier;
  const isControlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey;
  // Ignores the shortcut while a console is open, because its dialog is modal and keeps the focus.
  if ((!isSlash && !isControlK) || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  input.focus();
  input.select();
}
