/** Returns all matching elements. The caller states their type. */
export function all<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T[] {
  return [...within.querySelectorAll<T>(selector)];
}

/** Returns the matching element. Throws if the page does not contain it. */
export function one<T extends Element = HTMLElement>(selector: string, within: ParentNode = document): T {
  const found = within.querySelector<T>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
}

/** Returns an element with content. Text is never interpreted as HTML. */
export function element(name: string, className: string, ...content: (string | Node)[]): HTMLElement {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
}

let kept = '';

/**
 * Returns the API key of this tab, or the remembered key of this device. The key is never part of a URL. The key of the tab
 * is deleted with the tab.
 */
export function readKey(): string {
  try {
    return sessionStorage.getItem('key') ?? localStorage.getItem('key') ?? kept;
  } catch {
    return kept;
  }
}

export function writeKey(key: string): void {
  kept = key;
  try {
    sessionStorage.setItem('key', key);
  } catch {
    // If session storage is unavailable, the key is kept until the user leaves the page.
  }
}

/** Stores the key on this device until `forgetKey`. Without storage, the key is kept until the user leaves the page. */
export function rememberKey(key: string): void {
  try {
    localStorage.setItem('key', key);
  } catch {
    kept = key;
  }
}

/** Deletes the key of this tab and of this device. */
export function forgetKey(): void {
  writeKey('');
  try {
    localStorage.removeItem('key');
  } catch {
    // Without storage, no key is remembered.
  }
}

const { root = './', server } = document.documentElement.dataset;

/** URL of the site's root. */
export const siteUrl = new URL(root, location.href);

/**
 * URL of the service, without a trailing slash. This is the server of the page, unless the site was built for another
 * server.
 */
export const serverUrl = server ?? new URL('..', siteUrl).href.replace(/\/$/, '');
