import { readKey, writeKey } from '../../docs/browser/page.js';
import { h } from './dom.js';

/**
 * Returns the form that asks for the key. `fault` tells why an earlier key was not accepted. `onKey` gets the key, and
 * whether the device remembers it.
 */
export function createKeyForm(fault: string, onKey: (key: string, isRemembered: boolean) => void): HTMLElement {
  const input = h('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'sk_…',
    required: true,
    'aria-invalid': fault !== '' && 'true',
    'aria-describedby': 'key-hint key-fault',
  });
  const remember = h('input', { type: 'checkbox', 'aria-describedby': 'key-hint' });
  const form = h(
    'form',
    { class: 'card key-form' },
    h('h1', {}, 'Dashboard'),
    h('p', {}, 'Live sessions, their history and webhooks of one account.'),
    h(
      'p',
      { class: 'field' },
      h('label', { for: 'key' }, 'API key'),
      input,
      h('span', { id: 'key-fault', class: 'fault', role: 'alert' }, fault),
    ),
    h('p', { class: 'field' }, h('label', { class: 'check' }, remember, 'Remember the key on this device')),
    h('button', { type: 'submit', class: 'primary' }, 'Open the dashboard'),
    h(
      'p',
      { id: 'key-hint', class: 'hint' },
      'The key stays in this tab and is sent to this service only. A remembered key stays in this browser until you forget it: do not choose this on a shared device. The first start of the service prints a link with a key. To create one: ',
      h('code', {}, 'state-service keys create --account NAME'),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onKey(input.value.trim(), remember.checked);
  });
  return form;
}

/** Number of characters that `keys list` shows. */
const shownCharacters = 7;

/**
 * Takes the key from the fragment of the link that the first start of the service prints, and removes it from the address
 * and the history entry. Browsers never send a fragment to a server. Returns whether the page has a new key.
 *
 * Asks before it replaces another key. Otherwise a link of somebody else could make a person send readings to the account
 * of that link.
 */
export function takeKey(): boolean {
  if (!location.hash.startsWith('#key=')) return false;
  const [, key] = /^#key=(sk_\w+)$/.exec(location.hash) ?? [];
  history.replaceState(null, '', location.pathname + location.search);
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
