/**
 * Names of people and sessions in this browser, per account: all keys of an account share them. The service never sees them:
 * callers hash identifiers so that it does not.
 */
import { readKey } from '../../docs/browser/page.js';
import { type Content, h, show } from '../../ui/dom.js';
import { button, createField } from '../../ui/parts.js';
import { openForm } from './webhooks/dialog.js';

const lengthMax = 80;
let loaded: { readonly place: string; readonly names: Map<string, string> } | undefined;

function find(place: string): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a text, or removes it. */
function keep(place: string, text?: string): void {
  try {
    if (text === undefined) localStorage.removeItem(place);
    else localStorage.setItem(place, text);
  } catch {
    // Without storage, names last until the user leaves the page.
  }
}

/** The place of the account's id. The prefix of the key is public. */
const placeOfAccount = () => `account of ${readKey().slice(0, 7)}`;

/** Takes the account of the key from a response. Returns true if names appear by it. */
export function learnAccount(id: string): boolean {
  if (find(placeOfAccount()) === id) return false;
  keep(placeOfAccount(), id);
  return read().names.size > 0;
}

function read(): { readonly place: string; readonly names: Map<string, string> } {
  const place = `names of ${find(placeOfAccount()) ?? ''}`;
  if (loaded?.place === place) return loaded;
  loaded = { place, names: new Map() };
  try {
    const stored: unknown = JSON.parse(find(place) ?? '{}');
    for (const [id, name] of Object.entries(stored ?? {})) if (typeof name === 'string') loaded.names.set(id, name);
  } catch {
    // With a damaged entry, nothing has a name.
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
  keep(place, JSON.stringify(Object.fromEntries(names)));
}

/** Deletes the names of the account, because they may identify people. */
export function forgetNames(): void {
  keep(read().place);
  keep(placeOfAccount());
  loaded = undefined;
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
    };
    openForm(head, { title: 'Name', content: [field.element], submitLabel: 'Store', onSubmit });
  };
  const head = h('header.line', title, original, button('Name …', rename), content);
  draw();
  return head;
}
