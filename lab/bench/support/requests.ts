import { batch } from '../../../generated/spec.js';
import type { Submission } from '../../../src/contract/contract.js';
import { draw, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { drawTurn } from './turns.js';

export const subjectCount = 10_000;
export const liveCount = 20;
/** Name of the session with one hour of history. */
export const longName = 'long';
const bodyCount = 1_000;
/** Number of readings after which a session switches to the next scene, so that its state changes occasionally. */
const readingsAScene = 50;
const seed = 4;

/** Kinds of requests. */
export const loads = [
  'plain',
  'every',
  'turn',
  'batch',
  'profile',
  'state',
  'history',
  'longHistory',
  'anyState',
] as const;
export type Load = (typeof loads)[number];

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Header fields that describe the body. Absent for a JSON body. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the next request. No request is a resend or contains a late reading. `among` is the number of subjects or
 * sessions from which requests draw.
 */
export type NextRequest = (among?: number) => BenchRequest;

export function createRequests(sessionCount = 200): Readonly<Record<Load, NextRequest>> {
  const random = seededRandom(seed);
  // Signals are generated in advance, so that the generator has the same cost for both loads.
  const signals = Array.from({ length: bodyCount }, (_, index) => draw(oneOf(scenes, index), random));
  const turns = signals.map((drawn) => ({ ...drawn, ...drawTurn(random) }));
  const plain = ingestRequests('plain', signals, sessionCount);
  const every = signals.map((drawn) => ({ ...drawn, ...drawOthers(random) }));
  return {
    plain,
    every: ingestRequests('every', every, sessionCount),
    batch: () => ({
      method: 'POST',
      path: '/v1/ingest/batch',
      headers: { 'Content-Type': 'application/x-ndjson' },
      body: Array.from({ length: batch.lines_max }, () => `${plain().body}\n`).join(''),
    }),
    turn: ingestRequests('turn', turns, sessionCount),
    profile: (among = subjectCount) => get(`/v1/triggers?subject_id=${subjectName(random() * among)}`),
    state: () => get(`/v1/state?session_id=${liveName(random() * liveCount)}`),
    history: () => get(`/v1/history?minutes=5&session_id=${liveName(random() * liveCount)}`),
    longHistory: () => get(`/v1/history?minutes=60&session_id=${longName}`),
    anyState: (among = 1) => get(`/v1/state?session_id=${crowdName(random() * among)}`),
  };
}

/** Returns the signals of a phone, a watch and a camera that a scene does not draw. */
function drawOthers(random: () => number): Partial<Submission> {
  const between = (low: number, high: number) => Number((low + (high - low) * random()).toFixed(1));
  return {
    ...{ source_device: 'watch', sdnn: between(20, 90), rmssd: between(15, 80), spo2: between(95, 99) },
    ...{ respiratory_rate: between(12, 20), skin_temperature: between(32, 35), eda: between(1, 8) },
    ...{ expression: random() < 0.5 ? 'relaxed' : 'frowning', urgency: random() < 0.5 ? 'low' : 'medium' },
    ...{ activity_level: 'resting', steps_last_minute: 0, speech_rate: between(100, 180), gaze: 'direct' },
  };
}

function get(path: string): BenchRequest {
  return { method: 'GET', path };
}

export function subjectName(number: number): string {
  return `subject-${Math.floor(number)}`;
}

/** Returns the name of a session with some minutes of history. */
export function liveName(number: number): string {
  return `live-${Math.floor(number)}`;
}

/** Returns the name of a session that gets no new readings. The order of names is the order of their numbers. */
export function crowdName(number: number): string {
  return `crowd-${String(Math.floor(number)).padStart(9, '0')}`;
}

/**
 * Returns readings of alternating sessions and subjects. The timestamps of a session increase by at least one
 * millisecond.
 */
function ingestRequests(name: string, bodies: ReadonlyArray<Partial<Submission>>, sessionCount: number): NextRequest {
  const lastMs = new Array<number>(sessionCount).fill(0);
  let sent = 0;
  return () => {
    const session = sent % sessionCount;
    const round = Math.floor(sent / sessionCount);
    const timestampMs = Math.max(Date.now(), (lastMs[session] ?? 0) + 1);
    lastMs[session] = timestampMs;
    const submission = {
      session_id: `${name}-${session}`,
      subject_id: subjectName((session * subjectCount) / sessionCount),
      timestamp: new Date(timestampMs).toISOString(),
      ...oneOf(bodies, session + round * scenes.length + Math.floor((round + session) / readingsAScene)),
    };
    sent += 1;
    return { method: 'POST', path: '/v1/ingest', body: JSON.stringify(submission) };
  };
}

function oneOf<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
