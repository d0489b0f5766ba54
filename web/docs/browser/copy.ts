import { all } from './dom.js';

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
