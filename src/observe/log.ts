import { fstatSync, write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import colors from 'picocolors';
import { type DestinationStream, levels, type Logger, pino } from 'pino';
import { findAdvice } from './start.js';

/**
 * Creates the structured log: one JSON line per event. Errors are logged without their values, which may be ids of
 * people. A line with an error has the remedy, if it is known.
 */
export function createLog(level: string, destination: DestinationStream): Logger {
  const addRemedy = (fields: Record<string, unknown>) =>
    'err' in fields ? { ...fields, remedy: findAdvice(fields.err) } : fields;
  return pino({ level, serializers: { err: describeError }, formatters: { log: addRemedy } }, destination);
}

/** Opens the log of a server on standard error. */
export function openServerLog(level: string) {
  const output = createStandardErrorOutput();
  const log = createLog(level, output);
  logWarnings(log);
  return { output, log };
}

/** Logs the warnings of Node.js, whose own listener writes text between the lines. Deprecations concern developers only. */
export function logWarnings(log: Logger): void {
  process.removeAllListeners('warning').on('warning', (warning) => {
    log[warning.name === 'DeprecationWarning' ? 'debug' : 'warn']({ err: warning }, 'warning of Node.js');
  });
}

/** Returns the loggable fields of an error. Omits the statement and values that database drivers attach. */
function describeError(error: unknown): object | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return { type: name, code: (error as { code?: unknown }).code, message, stack };
}

/** Lines are buffered. They are written together when the buffer reaches this size or this age. */
const gathered = { characters: 8_192, afterMs: 200 };
/** Maximum number of buffered characters while the reader or the disk is slow. Further lines are dropped. */
const waitingMax = 8_388_608;
const closeMs = 500;

/** Destination of the log. If a write fails, its lines are dropped, so that logging never stops the service. */
export type LogOutput = Omit<ReturnType<typeof createLogOutput>, 'writeNow'>;

export type WriteText = (text: string) => Promise<void>;

/** Writes to standard error: JSON, and readable lines on a terminal. */
function createStandardErrorOutput(): LogOutput {
  const { stderr } = process;
  const asIs = (line: string) => line;
  const output = createLogOutput(isStream(2) ? writeToStream : writeToFile, stderr.isTTY ? formatLine : asIs);
  // Ignores the error event, which would end the process. Each failed write also reports its error to its callback.
  stderr.on('error', () => undefined);
  process.once('exit', () => output.writeNow((text) => (isStream(2) ? stderr.write(text) : writeSync(2, text))));
  return output;
}

/**
 * Returns true for pipes, sockets and terminals. Node writes to them without blocking a thread when the reader stalls.
 */
function isStream(fd: number): boolean {
  const stat = fstatSync(fd);
  return stat.isFIFO() || stat.isSocket() || process.stderr.isTTY;
}

const writeToStream: WriteText = (text) =>
  new Promise((resolve, reject) => {
    process.stderr.write(text, (error) => (error ? reject(error) : resolve()));
  });

/** Writes a text to a file. Continues after a partial write, which happens on a nearly full disk. */
async function writeToFile(text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += (await promisify(write)(2, bytes, at)).bytesWritten;
}

/** Creates a log output that buffers lines and makes one write at a time. */
export function createLogOutput(writeText: WriteText, format: (line: string) => string) {
  let waiting: string[] = [];
  let characters = 0;
  let droppedLines = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function take(): string[] {
    const lines = waiting;
    waiting = [];
    characters = 0;
    return lines;
  }

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const lines = take();
      try {
        await writeText(lines.join(''));
        hasFailed = false;
      } catch {
        hasFailed = true;
        droppedLines += lines.length;
      }
    }
    writing = undefined;
  }

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    // Without this check, `writeAll` ends before `writing` is set, and no later line is written.
    if (waiting.length > 0) writing ??= writeAll();
    await writing;
  };

  return {
    write(line: string): void {
      if (characters + line.length > waitingMax) return void (droppedLines += 1);
      waiting.push(format(line));
      characters += line.length;
      if (characters >= gathered.characters) void flush();
      else timer ??= setTimeout(() => void flush(), gathered.afterMs).unref();
    },
    get droppedLines() {
      return droppedLines;
    },
    /**
     * Writes the buffered lines within half a second. Resolves with true if all lines were written or dropped in time.
     */
    close: (): Promise<boolean> => Promise.race([flush().then(() => true), sleep(closeMs, false, { ref: false })]),
    /**
     * Writes the buffered lines synchronously when the process exits. Does nothing after a failed write or during a
     * pending write, because the write could block the exit.
     */
    writeNow(writeSync: (text: string) => void): void {
      if (writing || hasFailed || waiting.length === 0) return;
      try {
        writeSync(take().join(''));
      } catch {
        // Ignored: the process is exiting and cannot report this error.
      }
    },
  };
}

/** Fields that are redundant on a terminal, or shown in another form. */
const hidden = ['level', 'time', 'pid', 'hostname', 'msg', 'err', 'trace_id'];
const { dim, red, yellow, cyan, green } = colors;
const paint: Readonly<Record<string, (text: string) => string>> = {
  fatal: red,
  error: red,
  warn: yellow,
  info: green,
  debug: cyan,
  trace: dim,
};

/** Formats a JSON log line for people: time, level, message and the remaining fields. */
export function formatLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const level = levels.labels[Number(line['level'])] ?? 'info';
  const time = new Date(Number(line['time'])).toTimeString().slice(0, 8);
  const fields = Object.entries(line).filter(([name]) => !hidden.includes(name));
  const { code, message } = (line['err'] ?? {}) as { code?: string; message?: string };
  const shown = [...fields, ['error', [code, message].filter(Boolean).join(' ')] as const]
    .filter(([, value]) => value !== '' && value !== undefined)
    .map(([name, value]) => dim(`${name}=`) + toText(value));
  return `${[dim(time), paint[level]?.(level.toUpperCase().padEnd(5)), line['msg'], ...shown].join(' ')}\n`;
}

/** Returns a value as text. Quotes text that contains a space or a control character. */
function toText(value: unknown): string {
  return typeof value === 'string' && /^[!-~]+$/.test(value) ? value : JSON.stringify(value);
}
