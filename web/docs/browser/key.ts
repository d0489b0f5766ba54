let kept = '';

/** Returns the API key of this tab. The key is never part of a URL and is deleted with the tab. */
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
    // If session storage is unavailable, the key is kept until the user leaves the page.
  }
}
