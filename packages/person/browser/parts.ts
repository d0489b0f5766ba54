import { type Content, h } from '../../ui/dom.js';
import { createStatus } from '../../ui/parts.js';
import { explain, isUnknown, type Page } from './link.js';
import { t, type Text } from './texts.js';

/** Returns a card of the page. Ids follow from names of texts, because titles are in several languages. */
export function card(title: Text, ...content: readonly Content[]) {
  const id = `card-${title}`;
  return h('section.card', { 'aria-labelledby': id }, h('h2', { id, tabindex: -1 }, t(title)), content);
}

/** Pause before a retry, ms. */
export const retryMs = 5_000;

/** Shows a part of a card when it is loaded: the text for an unknown person, or one about a failure until a retry succeeds. */
export function load(page: Page, place: HTMLElement, read: () => Promise<readonly Content[]>, unknown: Text): void {
  const status = createStatus('p.hint');
  const put = (nodes: readonly Content[]) => place.replaceChildren(h('div', nodes));
  const fail = (error: unknown) => {
    if (page.signal.aborted) return;
    status.say(t(isUnknown(error) ? unknown : 'no_contact'));
    if (!status.element.isConnected) put([status.element]);
    if (!isUnknown(error)) setTimeout(run, retryMs);
  };
  const run = () => void read().then(put, fail);
  if (!place.hasChildNodes()) put([h('p.hint', t('loading'))]);
  run();
}

type Outcome = ReturnType<typeof createStatus>;

/** Returns a handler that runs a change once at a time, and says its outcome. */
export function attempt({ say }: Outcome, run: () => Promise<string>) {
  let isRunning = false;
  const fail = (error: unknown) => say(explain(error), true);
  return () => {
    if (isRunning) return;
    isRunning = true;
    void run()
      .then(say, fail)
      .finally(() => (isRunning = false));
  };
}

/** Returns a button that runs a change, and says its outcome. The button stays enabled to keep its focus. */
export function createAction(name: string, className: string, run: () => Promise<string>) {
  const outcome = createStatus();
  const attributes = { type: 'button', onclick: attempt(outcome, run) };
  return { button: h(`button.${className}` as 'button', attributes, name), outcome: outcome.element };
}
