import { hostname, userInfo } from 'node:os';

/** Returns the user who runs this process, as `user@host`. */
export function currentActor(): string {
  return `${userName()}@${hostname()}`;
}

/** Returns the user's name, or the numeric user id if it has no name, as in some containers. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
