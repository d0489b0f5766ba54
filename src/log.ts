import { type DestinationStream, type Logger, pino } from 'pino';

/** The structured log: JSON, a line an event. Of errors only what holds no values, for those may be ids of people. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** Drivers put the whole statement with its values beside the message; it stays out. */
function describeError(error: unknown): object | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return { type: name, code: (error as { code?: unknown }).code, message, stack };
}
