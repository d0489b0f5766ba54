import { hostname, userInfo } from 'node:os';

/** Returns the user who runs this process, as `user@host`. */
export function currentActor(): string {
  return `${userName()}@${hostname()}`;
}

/** Returns the user's name, or the id: a container may run under an id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
