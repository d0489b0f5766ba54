import { type bands, type raised, type signalCategories, type signals } from '../generated/contract.js';

/** One of the five states, calm to acute_stress. */
export type State = (typeof bands)[number]['state'];
export type SignalCategory = (typeof signalCategories)[number];
/** The likely cause of a raised heart rate. */
export type RaisedCause = keyof typeof raised;

/** The fields of a reading that are signals or context, with their use, category, unit and bounds. */
export type SignalContract = typeof signals;

type Value<Row> = Row extends { values: ReadonlyArray<infer Label> }
  ? Label
  : Row extends { type: 'array' }
    ? number[]
    : number;

/** All signals of one reading, within the bounds of the contract. An absent signal was not measured. */
export type AllSignals = { [N in keyof SignalContract]?: Value<SignalContract[N]> };

/** The signals with a use. */
export type SignalsUsedAs<Use> = {
  [N in keyof SignalContract]: SignalContract[N]['use'] extends Use ? N : never;
}[keyof SignalContract];

/** A signal that changes the score. */
export type SignalName = SignalsUsedAs<'evidence'>;

export type SignalValues = Pick<AllSignals, SignalName>;

export type SignalValue<N extends SignalName> = NonNullable<SignalValues[N]>;

/** A value with the time of its measurement, in epoch ms. */
export interface Sample<T> {
  readonly value: T;
  readonly atMs: number;
  /** Device that measured the heart rate variability. Absent for other signals and without a name. */
  readonly device?: string | undefined;
  /** Session that sent the value, for a value that all sessions of a person share. */
  readonly sessionId?: string | undefined;
}

/** Newest value of each signal of a session. A signal is absent if it was never measured. */
export type Signals = { readonly [N in SignalName]?: NewestSample<N> };

export type NewestSample<N extends SignalName> = Sample<SignalValue<N>> | undefined;

/**
 * Heart rate rise that movement explains at a time, in bpm above rest. The explained rise decays as the heart recovers.
 */
export type Movement = Sample<number>;

/** Movement of a session. Each field is absent until its first value. */
export interface Movements {
  /** The strongest stated movement. */
  readonly movement?: Movement | undefined;
  /** The strongest movement that a heart rate implied. */
  readonly implied?: Movement | undefined;
  /** Rise above the resting heart rate that the newest stated activity explains, in bpm. 0 if the client stated rest. */
  readonly stated?: Sample<number> | undefined;
}

/** The device that measured the newest heart data of a session or a person. */
export interface Device {
  readonly name: string;
  /** Timestamp of its newest heart data, in epoch ms. */
  readonly atMs: number;
  /** Time of the last change of the device, in epoch ms. Absent before the first change. */
  readonly changedMs?: number | undefined;
}

/** Rounds to three decimals. Sessions and baselines store rounded numbers to keep their rows short and readable. */
export function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Rounds to six decimals. Used for running means, which a reading may change by very little. */
export function round6(value: number): number {
  return Math.round(value * 1_000_000) / 1_000_000;
}
