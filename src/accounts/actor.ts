import { hostname, userInfo } from 'node:os';

/** Returns who administers keys in this process, as `user@host`. */
export function currentActor(): string {
  return `${userName()}@${hostname()}`;
}

/** A container may run under a user id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}
