import type { Submission } from '../../src/contract.js';
import { draw, scenes, seededRandom } from '../terminal/scenes.js';
import { drawTurn } from './turns.js';

export const subjectCount = 10_000;
const sessionCount = 200;
const bodyCount = 1_000;
const seed = 4;

/** What the service is asked for, each by a load of its own. */
export const contenders = ['plain', 'turn', 'profile'] as const;
export type Contender = (typeof contenders)[number];

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

/** An endless source of requests; no reading is a resend and none is late. */
export type NextRequest = () => BenchRequest;

export function createRequests(): Readonly<Record<Contender, NextRequest>> {
  const random = seededRandom(seed);
  // Drawn beforehand, so that both loads cost their generator the same.
  const signals = Array.from({ length: bodyCount }, (_, index) => draw(oneOf(scenes, index), random));
  const turns = signals.map((drawn) => ({ ...drawn, ...drawTurn(random) }));
  return {
    plain: ingestRequests('plain', signals),
    turn: ingestRequests('turn', turns),
    profile: () => ({ method: 'GET', path: `/v1/triggers?subject_id=${subjectName(random() * subjectCount)}` }),
  };
}

export function subjectName(number: number): string {
  return `subject-${Math.floor(number)}`;
}

/** Sessions in turn, over people spread among all; each session's instants go up by a millisecond at least. */
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
      ...oneOf(bodies, sent),
    };
    sent += 1;
    return { method: 'POST', path: '/v1/ingest', body: JSON.stringify(submission) };
  };
}

function oneOf<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}
