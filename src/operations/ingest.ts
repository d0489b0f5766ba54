import { timestamps } from '../../generated/spec.js';
import type { Operation, Submission } from '../contract.js';
import { signalNames } from '../domain/signals.js';
import { toStateReading } from '../domain/state-reading.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** Refuses what can say nothing about now, then takes the reading in. */
export function ingest({ ingest, admitSession, now, maxTimestampAgeMs }: Services): Operation<'ingest'> {
  return async ({ body }, caller) => {
    if (!carriesSignal(body)) throw new ProblemError('missing_signals');
    const timestampMs = Date.parse(body.timestamp);
    const ageMs = now() - timestampMs;
    if (ageMs > maxTimestampAgeMs) throw new ProblemError('timestamp_too_old');
    if (ageMs < -timestamps.max_ahead_seconds * 1000) throw new ProblemError('timestamp_in_future');
    await admitSession(caller, body.session_id);
    const answer = await ingest.submit(caller.accountId, body, timestampMs);
    return { status: 200, body: toStateReading(body.session_id, answer) };
  };
}

function carriesSignal(body: Submission): boolean {
  return signalNames.some((name) => body[name] !== undefined);
}
