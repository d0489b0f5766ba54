import type { ReadFiles, ReadMessage, ReadRequest } from './import-worker.js';

/** Reads files in another thread. Rejects with an error of one line, or when the signal aborts. */
export function readFiles(
  request: ReadRequest,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<ReadFiles> {
  return new Promise((resolve, reject) => {
    const worker = new Worker('assets/import-worker.js');
    const end = () => worker.terminate();
    signal.addEventListener('abort', () => (end(), reject(signal.reason as Error)), { once: true });
    worker.addEventListener('error', () => (end(), reject(new Error('the reader of files did not start'))));
    worker.addEventListener('message', ({ data }: MessageEvent<ReadMessage>) => {
      if ('share' in data) return onProgress(data.share);
      end();
      if ('error' in data) reject(new Error(data.error));
      else resolve(data.result);
    });
    worker.postMessage(request);
  });
}
