import { writeKey } from '../../docs/browser/key.js';

/**
 * Takes the key from the fragment of the link that the first start of the service prints, and removes it from the address
 * and the history entry. Browsers never send a fragment to a server. Returns whether there was a key.
 */
export function takeKey(): boolean {
  if (!location.hash.startsWith('#key=')) return false;
  const [, key] = /^#key=(sk_\w+)$/.exec(location.hash) ?? [];
  history.replaceState(null, '', location.pathname + location.search);
  if (key !== undefined) writeKey(key);
  return key !== undefined;
}
