import { clearLine, cursorTo } from 'node:readline';

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
