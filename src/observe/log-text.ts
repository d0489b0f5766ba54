import { levels } from 'pino';
import colors from 'picocolors';

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
