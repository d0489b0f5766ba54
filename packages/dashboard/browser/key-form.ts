import { readKey, writeKey } from '../../docs/browser/page.js';
import { h } from '../../ui/dom.js';
import { checkbox, createField } from '../../ui/parts.js';

/**
 * Returns the form that asks for the key. `fault` tells why an earlier key was not accepted. `onKey` gets the key, and
 * whether the device remembers it.
 */
export function createKeyForm(fault: string, onKey: (key: string, isRemembered: boolean) => void): HTMLElement {
  const plain = { type: 'password', autocomplete: 'off', spellcheck: 'false', placeholder: 'sk_…', required: true };
  const input = h('input', plain);
  const remember = h('input', { type: 'checkbox' });
  const field = createField('API key', input);
  field.showFault(fault);
  const onsubmit = (event: Event) => {
    event.preventDefault();
    onKey(input.value.trim(), remember.checked);
  };
  return h(
    'form.card.key-form',
    { onsubmit },
    h('h1', 'Dashboard'),
    h('p', 'Live sessions, people and webhooks of one account.'),
    field.element,
    h('div.field', checkbox('Remember the key on this device', remember)),
    h('p', h('button.primary', { type: 'submit' }, 'Open the dashboard')),
    h(
      'p.hint',
      'The key stays in this tab and is sent to this service only. A remembered key stays in this browser until you forget it: do not choose this on a shared device. The first start of the service prints a link with a key. To create one: ',
      h('code', 'state-service keys create --account NAME'),
    ),
  );
}

/** Number of characters that `keys list` shows. */
const shownCharacters = 7;

/**
 * Takes the key from the fragment of the link that the first start of the service prints, and removes it from the address
 * and the history entry. A page may follow the key: `#key=sk_…/subjects/ID`. Browsers never send a fragment to a server.
 * Returns whether the page has a new key.
 *
 * Asks before it replaces another key. Otherwise a link of somebody else could make a person send readings to the account
 * of that link.
 */
export function takeKey(): boolean {
  if (!location.hash.startsWith('#key=')) return false;
  const [, key, route] = /^#key=(sk_\w+)(\/.*)?$/.exec(location.hash) ?? [];
  history.replaceState(null, '', location.pathname + location.search + (route ? `#${route}` : ''));
  if (key === undefined || key === readKey() || !mayReplace(readKey())) return false;
  writeKey(key);
  return true;
}

function mayReplace(stored: string): boolean {
  return (
    stored === '' ||
    confirm(
      `This tab uses the key ${stored.slice(0, shownCharacters)}…. Replace it with the key of the link? ` +
        'Choose Cancel if you do not know who sent the link.',
    )
  );
}
