import { dataExport as settings, limits } from '../../generated/spec.js';
import type { Caller } from '../contract/contract.js';
import { ProblemError } from '../contract/problem.js';
import { createConcurrencyLimit } from '../limits/window-limit.js';
import { createSerialQueue } from '../store/session-snapshot.js';
import { type ExportPage, type ExportPosition, type ExportScope, formatStart } from './export-page.js';

/** The part of an HTTP response that an export writes to. */
export interface ExportSink {
  readonly destroyed: boolean;
  readonly writableNeedDrain: boolean;
  write(text: string): unknown;
  once(event: 'drain' | 'close', act: () => void): unknown;
  off(event: 'drain' | 'close', act: () => void): unknown;
  end(): unknown;
  destroy(): unknown;
}

export interface ExportRequest extends Omit<ExportScope, 'accountId'> {
  readonly caller: Caller;
  /** Position of the last row that the client has. */
  readonly cursor: number | undefined;
  /** Expiry of the client's token in epoch ms. Absent if the client uses a key. */
  readonly expiresAtMs?: number | undefined;
  /** Called before each part with readings. */
  readonly onSent?: () => void;
}

export interface ExportsParts {
  readonly beginExport: (scope: ExportScope, cursor: number | undefined) => Promise<ExportPosition>;
  readonly readExportPage: (scope: ExportScope, from: ExportPosition) => Promise<ExportPage>;
  /** Resolves with true if the key is valid. */
  readonly isKeyValid: (accountId: string, keyId: string) => Promise<boolean>;
  readonly now: () => number;
}

/** All exports of this process. */
export interface Exports {
  /**
   * Writes an export. `begin` returns the response after its headers are written. Rejects with a ProblemError, before
   * `begin` is called, if there is no data or the key has too many exports. Destroys the response if the export cannot
   * be completed, so that the client notices it.
   */
  run(request: ExportRequest, begin: () => ExportSink): Promise<void>;
  /** Rejects new exports. Running exports continue, except those whose client reads nothing for a while. */
  drain(): void;
}

/** Time between two checks of an export's key, in ms. */
const keyCheckMs = 1_000;
/** Time without a read of the client after which a draining process ends its export, in ms. */
const stallMs = 1_000;
/** Age up to which a page that was read in advance is sent, in ms. */
const freshMs = 100;

/** A page and the time at which it was read, in ms. */
interface ReadPage {
  readonly page: ExportPage;
  readonly readAtMs: number;
}

/**
 * Exports read the database in turns, one page at a time in this process. Many exports therefore delay other requests
 * no more than one export does. An export writes a page only after its client has received the previous one, and reads
 * the next page meanwhile. It holds two pages in memory. If the client was slow, the export reads the next page again,
 * so that it sends no reading that was erased in the meantime.
 */
export function createExports(parts: ExportsParts): Exports {
  const { policy, quota } = limits.exports;
  const beginEntry = createConcurrencyLimit({ policy, quota, resetSeconds: settings.refused_retry_seconds });
  const sinks = new Set<ExportSink>();
  const inTurn = createSerialQueue();
  let isDraining = false;

  /** Returns a function that resolves with true while the export may continue. */
  function watch({ caller, expiresAtMs = Number.POSITIVE_INFINITY }: ExportRequest): () => Promise<boolean> {
    let checkedAtMs = performance.now();
    return async () => {
      if (parts.now() >= expiresAtMs) return false;
      if (performance.now() - checkedAtMs < keyCheckMs) return true;
      checkedAtMs = performance.now();
      return parts.isKeyValid(caller.accountId, caller.keyId);
    };
  }

  async function write(request: ExportRequest, scope: ExportScope, begin: () => ExportSink): Promise<void> {
    const first = await parts.beginExport(scope, request.cursor);
    const read = (from: ExportPosition): Promise<ReadPage> =>
      inTurn(async () => ({ page: await parts.readExportPage(scope, from), readAtMs: performance.now() }));
    // Read before the headers are sent, so that an unavailable database gets a 503.
    let { page } = await read(first);
    const sink = begin();
    const mayContinue = watch(request);
    sinks.add(sink);
    try {
      sink.write(formatStart(scope.format, request.cursor !== undefined));
      for (;;) {
        if (page.text !== '') {
          request.onSent?.();
          sink.write(page.text);
        }
        const { next } = page;
        const inAdvance = next && read(next);
        // Prevents an unhandled rejection. `await inAdvance` throws the error.
        inAdvance?.catch(() => undefined);
        await drained(sink, isDraining);
        if (sink.destroyed) return;
        if (!next || !inAdvance) return void sink.end();
        if (!(await mayContinue())) return void sink.destroy();
        const { page: early, readAtMs } = await inAdvance;
        page = performance.now() - readAtMs <= freshMs ? early : (await read(next)).page;
      }
    } catch (error) {
      sink.destroy();
      throw error;
    } finally {
      sinks.delete(sink);
    }
  }

  return {
    async run(request, begin) {
      const { caller, sessionId, subjectId, format } = request;
      if (isDraining) throw new ProblemError('service_unavailable', { cause: 'closing' });
      const endEntry = beginEntry(caller.keyId);
      try {
        await write(request, { accountId: caller.accountId, sessionId, subjectId, format }, begin);
      } finally {
        endEntry();
      }
    },
    drain() {
      isDraining = true;
      for (const sink of sinks) void drained(sink, true);
    },
  };
}

/**
 * Resolves when the client has received what was written, or when its connection is closed. With `isLimited`, destroys
 * the response of a client that reads nothing for `stallMs`.
 */
function drained(sink: ExportSink, isLimited: boolean): Promise<void> {
  if (sink.destroyed || !sink.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = isLimited ? setTimeout(() => sink.destroy(), stallMs).unref() : undefined;
    const settle = () => {
      clearTimeout(timer);
      sink.off('drain', settle);
      sink.off('close', settle);
      resolve();
    };
    sink.once('drain', settle);
    sink.once('close', settle);
  });
}
