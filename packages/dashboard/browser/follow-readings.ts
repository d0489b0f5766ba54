import type { StateReading } from '../../client/src/index.js';
import type { Service } from './service.js';

export interface Following {
  readonly onReading: (reading: StateReading) => void;
  readonly onDisconnect: () => void;
  /** Called when another attempt gets the same error, e.g. a key without the scope. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * Follows the readings of all sessions of the account, or of a person, until the signal aborts. Uses fetch instead of
 * EventSource, because EventSource cannot send the key in a header. A session token would allow EventSource, but covers
 * only one session. Resolves early if the service rejects the key or its scopes.
 */
export async function followReadings(
  service: Service,
  { onReading, onDisconnect, onRefused }: Following,
  { subjectId, signal = service.signal }: { readonly subjectId?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const patience = { maxRetries: Number.POSITIVE_INFINITY, waitBudgetMs: Number.POSITIVE_INFINITY };
  try {
    for await (const { data } of service.stream(
      { events: 'reading', onDisconnect, ...(subjectId !== undefined && { subjectId }) },
      { signal, ...patience },
    ))
      onReading(data);
  } catch (error) {
    onDisconnect();
    if (!signal.aborted) onRefused(error);
  }
}
