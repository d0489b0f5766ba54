import { destination, type DestinationStream, type Logger, pino } from 'pino';

/** Written in one go: when so much has come together, or so often, and in any case when the process ends. */
const gathered = { minLength: 8_192, periodicFlush: 200 };
/** Of what nobody reads so much is kept, and then lines are lost rather than requests. */
const unreadBytesMax = 8_388_608;

/** The structured log: JSON, a line an event. Of errors only what holds no values, for those may be ids of people. */
export function createLog(level: string, destination: DestinationStream): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** Standard error, off the path of requests. */
export function standardError(): DestinationStream {
  return destination({ dest: 2, sync: false, ...gathered, maxLength: unreadBytesMax });
}

/** Drivers put the whole statement with its values beside the message; it stays out. */
function describeError(error: unknown): object | string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  return { type: name, code: (error as { code?: unknown }).code, message, stack };
}
