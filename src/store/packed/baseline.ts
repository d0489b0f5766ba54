import type { Baseline, Track } from '../../domain/baseline.js';

/** A baseline as it is stored: the values of its tracks in this order. */
export type PackedBaseline = readonly [heartRate: PackedTrack | null, sdnn: PackedTrack | null];
type PackedTrack = readonly [
  firstAtMs: number,
  atMs: number,
  value: number,
  seconds: number,
  mean: number,
  meanSeconds: number,
];

export function packBaseline({ heart_rate, sdnn }: Baseline): PackedBaseline {
  return [packTrack(heart_rate), packTrack(sdnn)];
}

export function unpackBaseline([heartRate, sdnn]: PackedBaseline): Baseline {
  return {
    ...(heartRate && { heart_rate: unpackTrack(heartRate) }),
    ...(sdnn && { sdnn: unpackTrack(sdnn) }),
  };
}

function packTrack(track: Track | undefined): PackedTrack | null {
  return track ? [track.firstAtMs, track.atMs, track.value, track.seconds, track.mean, track.meanSeconds] : null;
}

function unpackTrack([firstAtMs, atMs, value, seconds, mean, meanSeconds]: PackedTrack): Track {
  return { firstAtMs, atMs, value, seconds, mean, meanSeconds };
}
