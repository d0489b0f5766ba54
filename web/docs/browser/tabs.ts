import { all } from './dom.js';

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
