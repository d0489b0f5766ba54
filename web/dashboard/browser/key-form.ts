import { h } from './dom.js';

/** Returns the form that asks for the key. `fault` tells why an earlier key was not accepted. */
export function createKeyForm(fault: string, onKey: (key: string) => void): HTMLElement {
  const input = h('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'sk_…',
    required: true,
    'aria-describedby': 'key-hint key-fault',
  });
  const form = h(
    'form',
    { class: 'card key-form' },
    h('h1', {}, 'Dashboard'),
    h('p', {}, 'Live sessions, their history and webhooks of one account.'),
    h('p', { class: 'field' }, h('label', { for: 'key' }, 'API key'), input),
    h('p', { id: 'key-fault', class: 'fault', role: 'alert' }, fault),
    h('button', { type: 'submit', class: 'primary' }, 'Open the dashboard'),
    h(
      'p',
      { id: 'key-hint', class: 'hint' },
      'The key stays in this tab and is sent to this service only. The first start of the service prints a link with a key. To create one: ',
      h('code', {}, 'npm run keys -- create --account NAME'),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onKey(input.value.trim());
  });
  return form;
}
