import { createStateClient, ProblemError, type StateClient } from '../../client/src/index.js';
import { serverUrl } from '../../docs/browser/page.js';
import { learnClock } from './clock.js';
import { type Usage, usageOf } from './usage.js';

/** The service as the dashboard calls it. */
export interface Service extends StateClient {
  /** Usage of the month. `known` is false until the first response, and `month` undefined without a quota. */
  readonly usage: { known: boolean; month: Usage | undefined };
  /** Aborts when the page forgets the key. */
  readonly signal: AbortSignal;
}

export interface Listeners {
  readonly onUsage: () => void;
  /** Called for each response of the service, and for each part of a stream. */
  readonly onContact: () => void;
  /** Called when the service has opened the stream. */
  readonly onConnected: () => void;
  /** Called when the service rejects the key. */
  readonly onRejected: () => void;
}

/** Retries are short, because a person waits. */
const limits = { maxRetries: 2, waitBudgetMs: 3_000, timeoutMs: 15_000 };

export function connect(
  key: string,
  signal: AbortSignal,
  { onUsage, onContact, onConnected, onRejected }: Listeners,
): Service {
  const usage: Service['usage'] = { known: false, month: undefined };
  const observed: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'omit', cache: 'no-store' });
    learnClock(response.headers);
    onContact();
    if (response.ok) {
      Object.assign(usage, { known: true, month: usageOf(response.headers) });
      onUsage();
    }
    if (response.status === 401) onRejected();
    if (!response.ok || response.headers.get('content-type') !== 'text/event-stream') return response;
    onConnected();
    return new Response(response.body?.pipeThrough(observeParts(onContact)), response);
  };
  return { ...createStateClient({ baseUrl: serverUrl, key, fetch: observed, ...limits }), usage, signal };
}

function observeParts(onPart: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(part, controller) {
      onPart();
      controller.enqueue(part);
    },
  });
}

/** Returns one sentence for a person about a failed call. */
export function reasonOf(error: unknown): string {
  if (error instanceof ProblemError && error.code === 'insufficient_scope')
    return `This key does not allow it: ${error.message}.`;
  if (error instanceof ProblemError) return `${error.message}.`;
  return `The service did not respond: ${(error as Error).message}.`;
}
