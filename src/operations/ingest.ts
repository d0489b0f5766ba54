import { timestamps } from '../../generated/spec.js';
import type { Operation } from '../contract.js';
import { signalNames } from '../domain/signals.js';
import { toStateReading } from '../domain/state-reading.js';
import type { Submitted } from '../ingest/submitted.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** Refuses what can say nothing about now, then takes the reading in. */
export function ingest({ ingest, admitSession, now, maxTimestampAgeMs }: Services): Operation<'ingest', Submitted> {
  return async ({ body: submitted }, caller) => {
    const { sessionId, signals, timestampMs } = submitted;
    if (signalNames.every((name) => signals[name] === undefined)) throw new ProblemError('missing_signals');
    const ageMs = now() - timestampMs;
    if (ageMs > maxTimestampAgeMs) throw new ProblemError('timestamp_too_old');
    if (ageMs < -timestamps.max_ahead_seconds * 1000) throw new ProblemError('timestamp_in_future');
    await admitSession(caller, sessionId);
    const answer = await ingest.submit(submitted);
    return { status: 200, body: toStateReading(sessionId, answer) };
  };
}
