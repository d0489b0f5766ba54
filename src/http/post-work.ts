import type { Response } from 'express';
import { sources as settings } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import type { LoadSums } from '../limits/load-sums.js';
import { createRoundRobin } from '../limits/round-robin.js';
import { readPostedBody, type ReadPostedBody } from '../readings/posted-body.js';
import { whenSettled } from './messages.js';

export type Work = ReturnType<typeof beginWork>;

/** Begins the work of a post. Its signal ends it, also when the client leaves. `end` releases what it has taken. */
export function beginWork(response: Response) {
  const control = new AbortController();
  const releases: Array<() => void> = [];
  whenSettled(response, () => control.abort(new ProblemError('invalid_payload', { cause: 'the client left' })));
  return {
    signal: control.signal,
    abort: (reason: ProblemError) => control.abort(reason),
    add: (release: () => void) => void releases.push(release),
    end: () => releases.splice(0).forEach((release) => release()),
  };
}

/** Reads a body between other work of this thread. Accounts are served round robin. */
export function createReadSmall(load: LoadSums): ReadPostedBody {
  // The readings count as rows when they are stored.
  const beginSlice = (accountId: string) => load.begin(accountId).bind(undefined, 0);
  const roundRobin = createRoundRobin({ sliceRows: 1, beginSlice });
  return (posted, signal) =>
    roundRobin.run(posted.caller.accountId, (pause) =>
      readPostedBody(posted, async (count) => {
        await pause(count);
        signal.throwIfAborted();
      }),
    );
}

/**
 * Returns a function that takes a place of a large body and returns the function that gives it back. An account never has the
 * last place beside another one. `closing` ends the work in all places.
 */
export function createPlaces(closing: AbortSignal): (accountId: string, work: Work) => () => void {
  const open = new Map<Work, string>();
  const abort = (work: Work) => work.abort(new ProblemError('service_unavailable', { cause: 'closing' }));
  closing.addEventListener('abort', () => [...open.keys()].forEach(abort));
  return (accountId, work) => {
    const free = settings.large_in_progress_max - open.size;
    if (free <= 0 || (free === 1 && [...open.values()].includes(accountId)))
      throw new ProblemError('service_unavailable', { cause: 'too many large bodies in progress' });
    open.set(work, accountId);
    if (closing.aborted) abort(work);
    return () => void open.delete(work);
  };
}

/** Rejects with the reason of the signal. */
export function failOn(signal: AbortSignal): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
  failed.catch(() => undefined);
  return failed;
}
