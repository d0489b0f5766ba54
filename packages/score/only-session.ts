import { computeTypicalValues } from './baseline.js';
import { processHeartRate } from './heart.js';
import { toShared } from './live.js';
import type { Baseline, LiveSignals } from './rows/person.js';
import type { Session } from './rows/session.js';
import type { Sample, Signals } from './rows/values.js';
import { signalNames } from './signals.js';

/**
 * Returns the live signals of a person whose only session has shared its signals from `fromMs` on. Of an unconfirmed
 * jump of the heart rate, the heart rate before it is shared.
 */
export function collectLive(
  session: Session,
  sessionId: string,
  fromMs: number,
  known: Baseline | undefined,
): LiveSignals {
  const { signals, latest, recent, implied, movement, stated } = session;
  const mark = <S extends Sample<unknown>>(sample: S | undefined) =>
    sample && sample.atMs >= fromMs ? { ...sample, sessionId } : undefined;
  const atMs = latest.timestampMs;
  const typical = computeTypicalValues(known, atMs, signals);
  const { heart } = processHeartRate(session, { atMs }, signals, typical.heart_rate);
  const last = recent?.slots.at(-1);
  const before = last && { value: Math.round(last.bpm), atMs: last.atMs };
  const heart_rate = mark(heart?.isConfirmed === false ? before : signals.heart_rate);
  const shared = Object.fromEntries(signalNames.map((name) => [name, mark<Sample<unknown>>(signals[name])]));
  return {
    signals: { ...shared, heart_rate } as Signals,
    ...(heart_rate && heart && { heart: toShared(heart), implied }),
    movement: mark(movement),
    stated: mark(stated),
  };
}

/** Returns the oldest timestamp of live signals in epoch ms, if one session sent all of them. Undefined otherwise. */
export function findOnlySender({ signals, movement, stated }: LiveSignals, sessionId: string): number | undefined {
  const samples = [...Object.values(signals), movement, stated].filter((sample) => sample !== undefined);
  if (samples.length === 0 || samples.some((sample) => sample.sessionId !== sessionId)) return undefined;
  return Math.min(...samples.map(({ atMs }) => atMs));
}
