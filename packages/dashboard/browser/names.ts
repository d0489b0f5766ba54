/**
 * Names of people and sessions in this browser, per account. The service never sees them: callers hash identifiers so that it
 * does not. An account is recognized by the public prefix of its key.
 */
import { readKey } from '../../docs/browser/page.js';
import { type Content, h, show } from './dom.js';
import { button, createField } from './parts.js';
import { openForm } from './webhooks/dialog.js';

const lengthMax = 80;
let loaded: { readonly place: string; readonly names: Map<string, string> } | undefined;

function read(): { readonly place: string; readonly names: Map<string, string> } {
  const place = `names ${readKey().slice(0, 7)}`;
  if (loaded?.place === place) return loaded;
  loaded = { place, names: new Map() };
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '{}');
    for (const [id, name] of Object.entries(stored ?? {})) if (typeof name === 'string') loaded.names.set(id, name);
  } catch {
    // Without storage, or with a damaged entry, nothing has a name.
  }
  return loaded;
}

/** Returns the name of a person or a session. Default: the id. */
export function nameOf(id: string): string {
  return read().names.get(id) ?? id;
}

/** Stores a name. The empty text removes it. */
export function setName(id: string, name: string): void {
  const { place, names } = read();
  if (name === '' || name === id) names.delete(id);
  else names.set(id, name.slice(0, lengthMax));
  try {
    localStorage.setItem(place, JSON.stringify(Object.fromEntries(names)));
  } catch {
    // Without storage, names last until the user leaves the page.
  }
}

/** Deletes the names of the account, because they may identify people. */
export function forgetNames(): void {
  const { place } = read();
  loaded = undefined;
  try {
    localStorage.removeItem(place);
  } catch {
    // Without storage, no name is stored.
  }
}

/** Returns the heading of a page about a person or a session, with its name and a button that changes it. */
export function namedHead(id: string, ...content: readonly Content[]): HTMLElement {
  const [title, original] = [h('h1', { tabindex: -1 }), h('span.hint')];
  const draw = () => {
    show(title, nameOf(id));
    show(original, nameOf(id) !== id && id);
  };
  const rename = () => {
    const input = h('input', { type: 'text', maxlength: lengthMax, autocomplete: 'off', value: nameOf(id) });
    const field = createField('Name', input, 'Only this browser knows it, until you forget the key. Empty: the id.');
    const onSubmit = async (dialog: { readonly close: () => void }) => {
      setName(id, input.value.trim());
      draw();
      dialog.close();
      return Promise.resolve();
    };
    openForm(head, { title: 'Name', content: [field.element], submitLabel: 'Store', onSubmit });
  };
  const head = h('header.line', title, original, button('Name …', rename), content);
  draw();
  return head;
}
