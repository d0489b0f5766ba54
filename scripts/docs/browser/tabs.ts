import { all } from './dom.js';

/** Tabs of one group change together, so that a reader selects a language once. */
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

/** Blocks above change their height, so the page is scrolled to keep the clicked tab in place. */
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
    // Without storage, the choice is kept until the page is left.
  }
}

/** Returns true for a language that has samples. */
function remembered(): string | undefined {
  try {
    const name = sessionStorage.getItem('language');
    return all('[role=tab]').find((it) => it.dataset['tab'] === name)?.dataset['tab'];
  } catch {
    return undefined;
  }
}
