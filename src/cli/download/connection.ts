import type { Input } from '../../contract.js';
import {
  causeOf,
  detailOf,
  otherService,
  rejectedKey,
  responseLimitMs,
  retryAfter,
  type ServiceAddress,
  UnusableService,
  waitSecondsMax,
} from '../../terminal/service.js';

export type ExportQuery = Input<'exportReadings'>['query'] & { readonly format: 'ndjson' | 'csv' };

/** Thrown if an export ended early for a reason that may pass: another attempt may succeed. */
export class InterruptedExport extends Error {
  constructor(
    reason: string,
    readonly details: {
      /** False if the service did not respond at all. */
      readonly hasAnswered: boolean;
      /** Wait before the next attempt that the service stated, s. */
      readonly waitSeconds?: number;
    },
  ) {
    super(reason);
  }
}

const mediaTypes = { ndjson: 'application/x-ndjson', csv: 'text/csv' };

/**
 * Yields the body of one export as it arrives. Reads no further until the caller asks for more. Throws InterruptedExport,
 * or UnusableService if another attempt would fail too. Rejects with the reason of the service's signal if it aborts.
 */
export async function* receive(service: ServiceAddress, query: ExportQuery): AsyncGenerator<Uint8Array, void> {
  const connection = connect(service.signal);
  let hasAnswered = false;
  try {
    const response = await connection.limit(request(service, query, connection.signal));
    hasAnswered = true;
    const reader = (await connection.limit(bodyOf(response, service, query))).getReader();
    for (;;) {
      const { done, value } = await connection.limit(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    service.signal.throwIfAborted();
    if (error instanceof UnusableService || error instanceof InterruptedExport) throw error;
    throw new InterruptedExport(causeOf(error), { hasAnswered });
  } finally {
    connection.close();
  }
}

interface Connection {
  readonly signal: AbortSignal;
  /** Waits for a part of the response. Ends the connection if it takes too long. */
  limit<T>(part: Promise<T>): Promise<T>;
  close(): void;
}

/** The time limit does not run while the caller handles what it received, because a slow disk is not a lost connection. */
function connect(outer: AbortSignal): Connection {
  const controller = new AbortController();
  const close = () => controller.abort(outer.reason);
  if (outer.aborted) close();
  outer.addEventListener('abort', close, { once: true });
  return {
    signal: controller.signal,
    async limit(part) {
      const timeUp = new DOMException('no data', 'TimeoutError');
      const timer = setTimeout(() => controller.abort(timeUp), responseLimitMs);
      return part.finally(() => clearTimeout(timer));
    },
    close() {
      outer.removeEventListener('abort', close);
      close();
    },
  };
}

function request({ url, key }: ServiceAddress, query: ExportQuery, signal: AbortSignal): Promise<Response> {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return fetch(`${url}/v1/export?${new URLSearchParams(parameters)}`, {
    headers: { 'X-Service-Key': key },
    // A redirect could send the key to another host.
    redirect: 'manual',
    signal,
  });
}

async function bodyOf(
  response: Response,
  { url }: ServiceAddress,
  { format }: ExportQuery,
): Promise<ReadableStream<Uint8Array>> {
  if (response.ok) {
    const isExport = response.headers.get('content-type')?.startsWith(mediaTypes[format]);
    if (!isExport || !response.body) throw otherService(url);
    return response.body;
  }
  const detail = detailOf(await response.json().catch(() => undefined));
  throw refusalOf(response, detail, url);
}

/** Returns the error of a response that is not an export. */
function refusalOf(response: Response, detail: string | undefined, url: string): Error {
  const { status, headers } = response;
  const answer = `${status} ${detail ?? response.statusText}`.trim();
  const waitSeconds = retryAfter(response);
  if (waitSeconds !== undefined && waitSeconds > waitSecondsMax)
    return new UnusableService(`the service responded with ${answer}: run the command again in ${waitSeconds} s`);
  if (waitSeconds !== undefined || status === 408 || status >= 500)
    return new InterruptedExport(answer, { hasAnswered: true, waitSeconds: waitSeconds ?? 0 });
  if (status === 401) return rejectedKey(detail ?? response.statusText);
  if (status >= 300 && status < 400)
    return new UnusableService(
      `${url} redirects to ${headers.get('location')}: set --url to the address of the service`,
    );
  if (detail === undefined) return otherService(url);
  return new UnusableService(`the service rejected the export (${answer})${remedies[status] ?? ''}`);
}

const remedies: Readonly<Record<number, string>> = {
  404: ': check --session or --subject, which are case-sensitive, and whether the key belongs to their account',
  422: ': check --cursor, --session and --subject',
};
