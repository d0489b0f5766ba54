import type { Submission } from '../../../src/contract.js';
import { draw, scenes, seededRandom } from '../../terminal/scenes.js';
import { drawTurn } from './turns.js';

export const subjectCount = 10_000;
const sessionCount = 200;
export const liveCount = 20;
/** The session with one hour of history. */
export const longName = 'long';
const bodyCount = 1_000;
/** Readings after which a session switches to the next scene, so that states change occasionally. */
const readingsAScene = 50;
const seed = 4;

/** A kind of request. */
export const loads = ['plain', 'turn', 'profile', 'state', 'history', 'longHistory', 'anyState'] as const;
export type Load = (typeof loads)[number];

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/**
 * Returns an endless source of requests without resent or late readings. `among` is the number of subjects or sessions
 * from which requests draw.
 */
export type NextRequest = (among?: number) => BenchRequest;

export function createRequests(): Readonly<Record<Load, NextRequest>> {
  const random = seededRandom(seed);
  // Generated in advance, so that both loads cost the generator the same.
  const signals = Array.from({ length: bodyCount }, (_, index) => draw(oneOf(scenes, index), random));
  const turns = signals.map((drawn) => ({ ...drawn, ...drawTurn(random) }));
  return {
    plain: ingestRequests('plain', signals),
    turn: ingestRequests('turn', turns),
    profile: (among = subjectCount) => get(`/v1/triggers?subject_id=${subjectName(random() * among)}`),
    state: () => get(`/v1/state?session_id=${liveName(random() * liveCount)}`),
    history: () => get(`/v1/history?minutes=5&session_id=${liveName(random() * liveCount)}`),
    longHistory: () => get(`/v1/history?minutes=60&session_id=${longName}`),
    anyState: (among = 1) => get(`/v1/state?session_id=${crowdName(random() * among)}`),
  };
}

function get(path: string): BenchRequest {
  return { method: 'GET', path };
}

export function subjectName(number: number): string {
  return `subject-${Math.floor(number)}`;
}

/** The name of a session with some minutes of history. */
export function liveName(number: number): string {
  return `live-${Math.floor(number)}`;
}

/** Returns the name of a session without new readings. Names sort like their numbers. */
export function crowdName(number: number): string {
  return `crowd-${String(Math.floor(number)).padStart(9, '0')}`;
}

/** Readings of alternating sessions and subjects; a session's instants increase by at least one millisecond. */
function ingestRequests(name: string, bodies: ReadonlyArray<Partial<Submission>>): NextRequest {
  const lastMs = new Array<number>(sessionCount).fill(0);
  let sent = 0;
  return () => {
    const session = sent % sessionCount;
    const timestampMs = Math.max(Date.now(), (lastMs[session] ?? 0) + 1);
    lastMs[session] = timestampMs;
    const submission = {
      session_id: `${name}-${session}`,
      subject_id: subjectName((session * subjectCount) / sessionCount),
      timestamp: new Date(timestampMs).toISOString(),
      ...oneOf(bodies, session + Math.floor(sent / sessionCount) * scenes.length + sceneOf(session, sent)),
    };
    sent += 1;
    return { method: 'POST', path: '/v1/ingest', body: JSON.stringify(submission) };
  };
}

/** The number of scenes that a session has completed; adjacent sessions switch at different times. */
function sceneOf(session: number, sent: number): number {
  return Math.floor((Math.floor(sent / sessionCount) + session) / readingsAScene);
}

function oneOf<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
