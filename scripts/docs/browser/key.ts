let kept = '';

/** The key of this tab. It is in no address and outlives no tab. */
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
    // Where storage is off this page keeps it.
  }
}
