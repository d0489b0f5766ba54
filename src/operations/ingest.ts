import type { Operation } from '../contract.js';
import { toStateReading } from '../domain/state-reading.js';
import type { PreparedReading } from '../ingest/prepared-reading.js';
import type { Services } from './services.js';

/** Stores a prepared reading and returns the state after the reading. */
export function ingest({ ingest, admitSession }: Services): Operation<'ingest', PreparedReading> {
  return async ({ body: reading }, caller) => {
    const { sessionId } = reading;
    await admitSession(caller, sessionId);
    return { status: 200, body: toStateReading(sessionId, await ingest.submit(reading)) };
  };
}
