import type { ServerResponse } from 'node:http';

/** Calls back once: after the response was sent, or when its connection closed before that. */
export function whenSettled(response: ServerResponse, act: () => void): void {
  // A connection that closed during an earlier step emits nothing more.
  if (response.destroyed) act();
  else response.once('close', act);
}
