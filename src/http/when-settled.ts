import type { ServerResponse } from 'node:http';
import { written } from './messages.js';

/** Calls back once: when the response was sent or its connection closed. */
export function whenSettled(response: ServerResponse, act: () => void): void {
  // A connection that closed during an earlier step emits no further event.
  if (response.destroyed) act();
  else response.once('close', act);
}

/** Calls back once: when the response is written or settled. The client may still be sending its body. */
export function whenAnswered(response: ServerResponse, act: () => void): void {
  let isAnswered = false;
  const answer = () => {
    if (!isAnswered) act();
    isAnswered = true;
  };
  response.once(written, answer);
  whenSettled(response, answer);
}
