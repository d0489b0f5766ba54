import { readKey, writeKey } from '../../docs/browser/key.js';

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
