import {
  createStateClient,
  ProblemError,
  type History,
  type Person,
  type StateClient,
  type StateReading,
} from '../../client/src/index.js';
import { serverUrl } from '../../docs/browser/page.js';
import { learnClock, nowMs } from '../../ui/clock.js';

export { nowMs };

/** The service as the dashboard calls it. */
export interface Service extends StateClient {
  /** Calls of the month. `known` is false until the first response, and `month` undefined without a quota. */
  readonly usage: { known: boolean; month: ReturnType<typeof readUsage> };
  /** Aborts when the page forgets the key. */
  readonly signal: AbortSignal;
  /** Dispatches `open` when the service has opened a stream, also again. */
  readonly streams: EventTarget;
}

interface Listeners {
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

export function connect(key: string, signal: AbortSignal, on: Listeners): Service {
  const usage: Service['usage'] = { known: false, month: undefined };
  const streams = new EventTarget();
  const observed: typeof fetch = async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'omit', cache: 'no-store' });
    learnClock(response.headers);
    on.onContact();
    if (response.ok) {
      Object.assign(usage, { known: true, month: readUsage(response.headers) });
      on.onUsage();
    }
    if (response.status === 401) on.onRejected();
    if (!response.ok || response.headers.get('content-type') !== 'text/event-stream') return response;
    on.onConnected();
    streams.dispatchEvent(new Event('open'));
    return new Response(response.body?.pipeThrough(observeParts(on.onContact)), response);
  };
  return { ...createStateClient({ baseUrl: serverUrl, key, fetch: observed, ...limits }), usage, signal, streams };
}

function observeParts(onPart: () => void): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(part, controller) {
      onPart();
      controller.enqueue(part);
    },
  });
}

/** Reads the month from the RateLimit headers. Undefined for an account without a monthly quota. */
function readUsage(headers: Headers) {
  const policy = /"month";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '');
  const rest = /"month";r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '');
  if (!policy || !rest) return undefined;
  const [quota, remaining] = [Number(policy[1]), Number(rest[1])];
  return { quota, used: quota - remaining, resetSeconds: Number(rest[2]) };
}

/** Returns one sentence for a person about a failed call. */
export function reasonOf(error: unknown): string {
  return error instanceof ProblemError
    ? `${error.message}.`
    : `The service did not respond: ${(error as Error).message}.`;
}

/** Returns true if the service knows nothing about the person of a request. */
export function isUnknown(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'subject_not_found';
}

/** Calls the function every second until the signal aborts. */
export function everySecond(signal: AbortSignal, tick: () => void): void {
  const timer = setInterval(tick, 1_000);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Returns a controller that also aborts with the signal. */
export function createPart(signal: AbortSignal): AbortController {
  const part = new AbortController();
  signal.addEventListener('abort', () => part.abort(), { signal: part.signal });
  return part;
}

/** Resolves after the time, or at once when the signal aborts. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
    if (signal.aborted) resolve();
  });
}

/** Requests `read` up to 12 times, every half second, until it returns a value. */
export async function poll<Value>(signal: AbortSignal, read: () => Promise<Value | undefined>) {
  for (let tries = 0; tries < 12 && !signal.aborted; tries += 1) {
    await wait(500, signal);
    const found = await read();
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Follows the readings of all sessions of the account, or of a person, until the signal aborts. Uses fetch instead of
 * EventSource, because EventSource cannot send the key in a header. A session token would allow EventSource, but covers
 * only one session. Resolves early if the service rejects the key or its scopes.
 */
export async function followReadings(
  service: Service,
  on: {
    readonly onReading: (reading: StateReading) => void;
    readonly onDisconnect?: () => void;
    /** Called when another attempt gets the same error, e.g. a key without the scope. */
    readonly onRefused?: (error: unknown) => void;
  },
  { subjectId, signal = service.signal }: { readonly subjectId?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const patience = { maxRetries: Number.POSITIVE_INFINITY, waitBudgetMs: Number.POSITIVE_INFINITY };
  const onDisconnect = () => on.onDisconnect?.();
  const filter = { events: 'reading', onDisconnect, ...(subjectId !== undefined && { subjectId }) } as const;
  try {
    for await (const { data } of service.stream(filter, { signal, ...patience })) on.onReading(data);
  } catch (error) {
    onDisconnect();
    if (!signal.aborted) on.onRefused?.(error);
  }
}

/** Returns a pause between two requests. It is four times as long for an account with a monthly quota. */
export function pauseOf({ usage }: Service, ms: number): number {
  return usage.month ? 4 * ms : ms;
}

/** The stream carries no signals, so the history of the last minutes is requested while readings arrive. */
const refreshMs = 4_000;
/** The trend that the page shows covers these minutes. */
export const refreshedMinutes = 5;

/** Returns functions that request the history, now or after the next reading. They end when the signal aborts. */
export function followHistory(
  service: Service,
  of: string | Person,
  signal: AbortSignal,
  onLoad: (history: History, untilMs: number) => void,
) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const load = async (minutes: number, untilMs?: number) => {
    lastMs = performance.now();
    const until = untilMs === undefined ? {} : { until: new Date(untilMs).toISOString() };
    onLoad(await service.history(of, minutes, { signal, ...until }), untilMs ?? nowMs());
  };
  const later = () => {
    timer = undefined;
    if (signal.aborted) return;
    // A hidden page requests nothing. It catches up when it is shown.
    if (document.hidden) document.addEventListener('visibilitychange', later, { once: true, signal });
    else void load(refreshedMinutes).catch(() => undefined);
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return {
    load,
    /** Requests the newest part again after a reading. Requests within the pause are combined. */
    refresh() {
      timer ??= setTimeout(later, Math.max(300, lastMs + pauseOf(service, refreshMs) - performance.now()));
    },
  };
}
