import { h } from '../dom.js';

type Import = (files: readonly File[], onProgress: (share: number) => void) => Promise<void>;

/** Returns an input of files, and the bar of the progress of their import, which runs once at a time. */
export function createFileInput(progress: string, importFiles: Import) {
  let isRunning = false;
  const run = (files: readonly File[]) => {
    if (files.length === 0 || isRunning) return;
    isRunning = true;
    bar.value = 0;
    bar.hidden = false;
    void importFiles(files, (share) => (bar.value = share)).finally(() => {
      isRunning = false;
      bar.hidden = true;
      // The same file can be chosen again.
      input.value = '';
    });
  };
  const input = h('input', { type: 'file', multiple: true, onchange: () => run([...(input.files ?? [])]) });
  const bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': progress });
  return { input, bar, run };
}
