import { all, one } from './page.js';

/** Starts the menu of small screens, highlights the current section, and unfolds linked fields. */
export function startNavigation(): void {
  startMenu();
  startSpy();
  addEventListener('hashchange', unfoldTarget);
  unfoldTarget();
}

function startMenu(): void {
  const button = one('[data-menu]');
  const show = (isOpen: boolean) => {
    button.ariaExpanded = String(isOpen);
    document.body.classList.toggle('menu-open', isOpen);
  };
  button.addEventListener('click', () => show(button.ariaExpanded !== 'true'));
  one('.side').addEventListener('click', (event) => {
    if ((event.target as Element).closest('a')) show(false);
  });
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && button.ariaExpanded === 'true') {
      show(false);
      button.focus();
    }
  });
}

/** Highlights the link to the section at the top of the window. */
function startSpy(): void {
  const links = all<HTMLAnchorElement>('[data-spy]');
  const parts = links.flatMap((link) => document.getElementById(link.dataset['spy'] ?? '') ?? []);
  if (parts.length === 0) return;
  const mark = () => {
    const edge = innerHeight / 3;
    const current = parts.findLast((it) => it.getBoundingClientRect().top < edge);
    for (const link of links) {
      const isCurrent = link.dataset['spy'] === current?.id;
      if (isCurrent && link.ariaCurrent === null) reveal(link);
      link.ariaCurrent = isCurrent ? 'location' : null;
    }
  };
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true });
  mark();
}

/** Scrolls the list of pages to a link, without scrolling the page. */
function reveal(link: HTMLElement): void {
  const list = link.closest<HTMLElement>('.side');
  if (!list) return;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) list.scrollTop += top - frame.top - frame.height / 2;
}

/** Unfolds the field that the URL links to. */
function unfoldTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let at = target.closest('details'); at; at = at.parentElement?.closest('details') ?? null) at.open = true;
  target.scrollIntoView();
}
