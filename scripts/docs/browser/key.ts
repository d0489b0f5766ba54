let kept = '';

/** The API key of this tab. It is never part of a URL and is deleted with the tab. */
export function readKey(): string {
  try {
    return sessionStorage.getItem('key') ?? kept;
  } catch {
    return kept;
  }
}

export function writeKey(key: string): void {
  kept = key;
  try {
    sessionStorage.setItem('key', key);
  } catch {
    // Without session storage, the key is kept until the page is left.
  }
}
