import { detectFormat, readRecording } from '../../packages/recordings/load.js';
import { Minutes } from '../../packages/recordings/minutes.js';
import { advanceSession, type SessionStep } from '../../packages/score/session.js';
import { findBand } from '../../packages/score/states.js';

/** A state, with the names and values of the contract. */
export interface DeviceState {
  readonly timestamp: string;
  /** `unknown` if no signal counts. */
  readonly state: string;
  readonly stress_score: number;
  readonly confidence: number;
  readonly action_reason: string;
}

/** Older readings of a recording are left out. */
const hours = 24;

/**
 * Returns the state after each reading of a recording, oldest first, as the service returns it for a session without a
 * person. Rejects for a format that is not known. Sends nothing and stores nothing.
 */
export async function computeStates(file: File): Promise<DeviceState[]> {
  const minutes = new Minutes({ hours, nowMs: Date.now() });
  const bytes = new Uint8Array(await file.arrayBuffer());
  const format = detectFormat(bytes.subarray(0, 4096));
  if (format === 'labeled' || format === 'health-connect') throw new Error(`${format} is not read here`);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  await readRecording({ name: file.name, chunks: [bytes], zone }, format, minutes);
  let last: SessionStep | undefined;
  return minutes.readings().map(({ atMs, values }) => {
    last = advanceSession(last?.session, { ...values, atMs }, last?.baseline);
    return toState(last);
  });
}

function toState({ computed }: SessionStep): DeviceState {
  const { timestampMs, score: stress_score, confidence, isWeak, reason: action_reason } = computed;
  const state = confidence > 0 && !isWeak ? findBand(stress_score).state : 'unknown';
  return { timestamp: new Date(timestampMs).toISOString(), state, stress_score, confidence, action_reason };
}
