import { type DestinationStream, type Logger, pino } from 'pino';

/**
 * Creates the structured log: one JSON line per event. Errors are logged without their values, which may be ids of
 * people.
 */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** Returns the loggable fields of an error. Omits the statement and values that database drivers attach. */
function describeError(error: unknown): object | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return { type: name, code: (error as { code?: unknown }).code, message, stack };
}
