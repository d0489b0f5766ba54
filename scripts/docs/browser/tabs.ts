import { all } from './dom.js';

/** Tabs of one group change together: who reads Python reads it everywhere. */
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

/** Blocks above change their height: what was clicked stays where it is. */
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
    // It holds for this page then.
  }
}

/** A language that this site has samples in. */
function remembered(): string | undefined {
  try {
    const name = sessionStorage.getItem('language');
    return all('[role=tab]').find((it) => it.dataset['tab'] === name)?.dataset['tab'];
  } catch {
    return undefined;
  }
}
