import type { SourceKey } from '../../client/src/index.js';
import { h, show } from '../../ui/dom.js';
import { createStatus, createTable } from '../../ui/parts.js';
import { nameOf } from './names.js';
import { nameApp } from './person/phone-apps.js';
import { personLink } from './router.js';
import { reasonOf, type Service } from './service.js';

/** Returns the newest source keys and hubs of the account, once they are opened, and where its other credentials are. */
export function createCredentials(service: Service, signal: AbortSignal): HTMLElement {
  const table = createTable('Table of credentials', ['Credential', 'Person', 'Ends', 'Maker', 'Created'], 'list-table');
  const message = createStatus('p.hint');
  const load = async () => {
    const { source_keys: keys } = await service.sourceKeys({}, { signal });
    show(table.body, ...keys.map(credentialRow));
    table.element.hidden = keys.length === 0;
    message.say(keys.length === 0 ? 'No source keys and hubs.' : '');
  };
  const ontoggle = () => load().catch((error: unknown) => signal.aborted || message.say(reasonOf(error)));
  const others = [
    'These are the newest 500 source keys and hubs. Links are on the page of their person. ',
    h('code', 'state-service keys list --all'),
    ' lists every stored credential, also API keys. Tokens are not stored: a session token ends with its key, an OAuth token by its time.',
  ];
  table.element.hidden = true;
  return h(
    'details.card',
    { ontoggle },
    h('summary', h('h2', 'Credentials')),
    message.element,
    table.element,
    h('p.hint', ...others),
  );
}

function credentialRow({ id, source, prefix, subject_id: person, maker_key_id: maker, ...times }: SourceKey) {
  const kind = person === undefined ? `hub ${id}` : `source key ${prefix}…`;
  return h(
    'tr',
    { key: id },
    h('th', { scope: 'row' }, h('strong', nameApp(source)), h('div.hint', kind)),
    h('td', person === undefined ? 'all people' : h('a', { href: personLink(person) }, nameOf(person))),
    h('td', times.expires_at.slice(0, 10)),
    h('td', maker ?? 'command line'),
    h('td', times.created_at.slice(0, 10)),
  );
}
