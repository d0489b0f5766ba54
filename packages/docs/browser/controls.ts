import { localServer } from '../samples.js';
import { all, serverUrl } from './page.js';

/** Switches between light and dark and stores the choice. */
export function startThemeToggle(): void {
  const { dataset } = document.documentElement;
  for (const button of all('[data-theme-toggle]')) {
    button.addEventListener('click', () => {
      const isDark = dataset['theme']
        ? dataset['theme'] === 'dark'
        : matchMedia('(prefers-color-scheme: dark)').matches;
      dataset['theme'] = isDark ? 'light' : 'dark';
      try {
        localStorage.setItem('theme', dataset['theme']);
      } catch {
        // If storage is unavailable, the choice is kept until the user leaves the page.
      }
    });
  }
}

const shownMs = 1500;

/** Starts the copy buttons. A button copies the code in its figure. */
export function startCopying(): void {
  for (const button of all('[data-copy]')) {
    button.addEventListener('click', () => void copy(button));
  }
}

async function copy(button: HTMLElement): Promise<void> {
  const panels = all('pre', button.closest('figure') ?? document);
  const shown = panels.find((it) => it.checkVisibility());
  await navigator.clipboard.writeText(shown?.textContent ?? '').then(
    () => say(button, 'Copied'),
    () => say(button, 'Not allowed'),
  );
}

function say(button: HTMLElement, text: string): void {
  button.textContent = text;
  setTimeout(() => (button.textContent = 'Copy'), shownMs);
}

/** Replaces the URL in the samples with the URL of the current service. */
export function nameServer(): void {
  for (const code of all('pre code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: node } = texts;
      node.nodeValue = node.nodeValue?.replaceAll(localServer, serverUrl) ?? '';
    }
  }
  for (const name of all('[data-server-name]')) name.textContent = serverUrl;
}

/** Starts the tabs. All tabs of a group change together, so that a reader selects a language only once. */
export function startTabs(): void {
  for (const tab of all('[role=tab]')) {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => moveFrom(tab, event));
  }
  const chosen = remembered();
  if (chosen) select(chosen);
}

function moveFrom(tab: HTMLElement, event: KeyboardEvent): void {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const tabs = all('[role=tab]', tab.parentElement ?? document);
  const next = tabs.at((tabs.indexOf(tab) + step) % tabs.length);
  event.preventDefault();
  next?.focus();
  if (next) choose(next);
}

/** Selects a tab. Scrolls the page to keep the tab in place, because blocks above it change their height. */
function choose(tab: HTMLElement): void {
  const { top } = tab.getBoundingClientRect();
  select(tab.dataset['tab'] ?? '');
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
}

function select(name: string): void {
  for (const tab of all('[role=tab]')) {
    const isChosen = tab.dataset['tab'] === name;
    tab.ariaSelected = String(isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls') ?? '')?.toggleAttribute('data-later', !isChosen);
  }
  try {
    sessionStorage.setItem('language', name);
  } catch {
    // If storage is unavailable, the choice is kept until the user leaves the page.
  }
}

/** Returns the stored language. Undefined if the language has no samples. */
function remembered(): string | undefined {
  try {
    const name = sessionStorage.getItem('language');
    return all('[role=tab]').find((it) => it.dataset['tab'] === name)?.dataset['tab'];
  } catch {
    return undefined;
  }
}
