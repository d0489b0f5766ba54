import { dataExport as settings, limits } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { createConcurrencyLimit } from '../limits/window-limit.js';
import { type ExportPage, type ExportScope, formatStart, type Position } from './export-page.js';
import { type Client, type ClientChecks, drained, type Sink } from './sink.js';

interface ExportRequest extends Client, Pick<ExportScope, 'whose' | 'format' | 'includesFacts'> {
  /** Position of the last row that the client has. */
  readonly cursor: number | undefined;
}

interface ExportsParts extends ClientChecks {
  readonly beginExport: (scope: ExportScope, cursor: number | undefined) => Promise<Position>;
  readonly readExportPage: (scope: ExportScope, from: Position) => Promise<ExportPage>;
}

/** Time without a read of the client after which a draining process ends its export, in ms. */
const stallMs = 1_000;
/** Age up to which a page that was read in advance is sent, in ms. */
const freshMs = 100;

interface ReadPage {
  readonly page: ExportPage;
  readonly readAtMs: number;
}

export type Exports = ReturnType<typeof createExports>;

/**
 * An export writes a page only after its client has received the previous one, and reads the next page meanwhile. It
 * holds two pages in memory. If the client was slow, the export reads the next page again, so that it sends no reading
 * that was erased in the meantime.
 */
export function createExports(parts: ExportsParts) {
  const { policy, quota } = limits.exports;
  const beginEntry = createConcurrencyLimit({ policy, quota, resetSeconds: settings.refused_retry_seconds });
  const sinks = new Set<Sink>();
  let isDraining = false;

  async function write(request: ExportRequest, scope: ExportScope, begin: () => Sink): Promise<void> {
    const first = await parts.beginExport(scope, request.cursor);
    const read = async (from: Position): Promise<ReadPage> => ({
      page: await parts.readExportPage(scope, from),
      readAtMs: performance.now(),
    });
    // Read before the headers are sent, so that an unavailable database gets a 503.
    let { page } = await read(first);
    const sink = begin();
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
        await drained(sink, isDraining ? stallMs : undefined);
        if (sink.destroyed) return;
        if (!next || !inAdvance) return void sink.end();
        if (!(await parts.isValid(request.caller))) return void sink.destroy();
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
    /**
     * Writes an export. `begin` returns the response after its headers are written. Rejects with a ProblemError, before
     * `begin` is called, if there is no data or the key has too many exports. Destroys the response if the export cannot
     * be completed, so that the client notices it.
     */
    async run(request: ExportRequest, begin: () => Sink): Promise<void> {
      const { caller, whose, format, includesFacts = false } = request;
      if (isDraining) throw new ProblemError('service_unavailable', { cause: 'closing' });
      const endEntry = beginEntry(caller.keyId);
      try {
        await write(request, { caller, whose, format, includesFacts }, begin);
      } finally {
        endEntry();
      }
    },
    /** Rejects new exports. Running exports continue, except those whose client reads nothing for a while. */
    drain(): void {
      isDraining = true;
      for (const sink of sinks) void drained(sink, stallMs);
    },
  };
}
