import { clearLine, cursorTo } from 'node:readline';
import { SingleBar } from 'cli-progress';

export interface Progress {
  /** Reports one more completed step. */
  advance(): void;
  /** Reports a wait, in seconds, until the next step. */
  wait(seconds: number, reason: string): void;
  stop(): void;
}

/**
 * Shows a progress bar on a terminal. Otherwise prints one line per fifth of the work, so that a log stays readable.
 */
export function startProgress(stream: NodeJS.WriteStream, total: number, unit: string): Progress {
  return stream.isTTY ? startBar(stream, total, unit) : startLines((line) => stream.write(`${line}\n`), total, unit);
}

/** Runs the work and shows its progress. */
export async function withProgress<T>(
  total: number,
  unit: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = startProgress(process.stderr, total, unit);
  try {
    return await work(progress);
  } finally {
    progress.stop();
  }
}

/** Works on one item after the other and shows the progress. */
export function mapWithProgress<T, Result>(
  items: readonly T[],
  unit: string,
  work: (item: T) => Result | Promise<Result>,
): Promise<Result[]> {
  return withProgress(items.length, unit, async ({ advance }) => {
    const results: Result[] = [];
    for (const it of items) {
      results.push(await work(it));
      advance();
    }
    return results;
  });
}

function startBar(stream: NodeJS.WriteStream, total: number, unit: string): Progress {
  const bar = new SingleBar({
    stream,
    format: `{bar} {percentage} % · {value}/{total} ${unit} · {eta_formatted} left{wait}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    clearOnComplete: true,
  });
  bar.start(total, 0, { wait: '' });
  let timer: NodeJS.Timeout | undefined;
  const endWait = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    bar.update({ wait: '' });
  };
  return {
    advance() {
      endWait();
      bar.increment();
    },
    wait(seconds, reason) {
      endWait();
      let left = Math.ceil(seconds);
      const show = () => bar.update({ wait: ` · waits ${Math.max(0, left--)} s: ${reason}` });
      show();
      timer = setInterval(show, 1000);
    },
    stop() {
      endWait();
      bar.stop();
    },
  };
}

export function startLines(write: (line: string) => void, total: number, unit: string): Progress {
  const fifth = (done: number) => Math.floor((done * 5) / total);
  let done = 0;
  return {
    advance() {
      done += 1;
      if (fifth(done) > fifth(done - 1)) write(`${done}/${total} ${unit}`);
    },
    wait: (seconds, reason) => write(`${done}/${total} ${unit}, waits ${Math.ceil(seconds)} s: ${reason}`),
    stop() {},
  };
}

/** The progress of work whose total is unknown. */
export interface Counter {
  advance(count: number): void;
  /** Prints a line, and continues after it. */
  note(line: string): void;
  stop(): void;
}

const refreshMs = 200;

/** Shows a count and its rate on a terminal. Elsewhere, prints only the notes. */
export function startCounter(stream: NodeJS.WriteStream, unit: string, isShown = stream.isTTY): Counter {
  const startedAtMs = performance.now();
  let count = 0;
  let shownAtMs = 0;
  const clear = () => {
    if (!isShown || shownAtMs === 0) return;
    cursorTo(stream, 0);
    clearLine(stream, 0);
  };
  const show = (nowMs: number) => {
    clear();
    shownAtMs = nowMs;
    const perSecond = Math.round((count * 1000) / Math.max(1, nowMs - startedAtMs));
    stream.write(`${count.toLocaleString('en')} ${unit} · ${perSecond.toLocaleString('en')} per second`);
  };
  return {
    advance(more) {
      count += more;
      const nowMs = performance.now();
      if (isShown && nowMs - shownAtMs >= refreshMs) show(nowMs);
    },
    note(line) {
      clear();
      stream.write(`${line}\n`);
    },
    stop: clear,
  };
}
