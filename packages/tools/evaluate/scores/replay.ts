/** Sends recordings to a service whose clock the caller sets: as they happen, or as the history of people. */
import type { StateReading, Submission } from '../../../client/src/index.js';
import { groupBy } from '../../group-by.js';
import type { EvaluatedService } from './service.js';

/** A reading that was sent, and the answer of the service. */
export interface Answered<Reading> {
  readonly reading: Reading;
  readonly answer: StateReading;
}

/** A service with a manual clock. */
export type Player = Pick<EvaluatedService, 'now' | 'advance' | 'send'>;

interface LiveOptions {
  readonly onAnswer?: () => void;
  /** Called after all readings of one second. */
  readonly afterSecond?: (() => Promise<void>) | undefined;
}

/** Maximum number of concurrent requests. Each one may need a connection. */
const requestsAtOnce = 64;

/**
 * Sends each reading at its `second`, and the readings of one second in parallel. Returns the answers per stream in the order
 * of its readings.
 */
export async function playLive<Reading extends { readonly second: number }>(
  player: Player,
  streams: readonly (readonly Reading[])[],
  toSubmission: (reading: Reading, stream: number) => Omit<Submission, 'timestamp'>,
  { onAnswer, afterSecond }: LiveOptions = {},
): Promise<Answered<Reading>[][]> {
  const answers = streams.map((readings, stream) =>
    readings.map((reading) => ({ stream, reading, answer: unanswered })),
  );
  const scheduled = answers.flat().sort((a, b) => a.reading.second - b.reading.second);
  let played = 0;
  for (const [second, together] of groupBy(scheduled, ({ reading }) => reading.second)) {
    player.advance(second - played);
    played = second;
    const timestamp = new Date(player.now()).toISOString();
    for (const part of split(together, requestsAtOnce))
      await Promise.all(
        part.map(async (it) => {
          it.answer = await player.send({ timestamp, ...toSubmission(it.reading, it.stream) });
          onAnswer?.();
        }),
      );
    await afterSecond?.();
  }
  return answers;
}

/** In the place of an answer until it arrives. */
const unanswered = {} as StateReading;

/** Maximum number of lines of a batch. */
export const linesMax = 1_000;
/** The service limits the batches in progress per account. */
const peopleAtOnce = 2;
const dayMs = 86_400_000;

/**
 * Backfills histories, oldest reading first, each as a session and a subject with this id. Shifts their times by whole days, so
 * that the newest one ends just before the time of the service. Returns the answers per history in the order of its readings.
 */
export async function backfill<Reading extends { readonly atMs: number }>(
  service: EvaluatedService,
  histories: readonly { readonly id: string; readonly readings: readonly Reading[] }[],
  toSignals: (reading: Reading) => Partial<Submission>,
  onAnswer: () => void = () => {},
): Promise<Answered<Reading>[][]> {
  const movedMs = findShift(service, histories);
  const answers = histories.map((): Answered<Reading>[] => []);
  const waiting = histories.entries();
  const sendNext = async () => {
    for (const [person, { id, readings }] of waiting)
      for (const part of split(readings, linesMax)) {
        const lines = part.map((reading) => {
          const timestamp = new Date(reading.atMs + movedMs).toISOString();
          return { session_id: id, subject_id: id, timestamp, backfill: true, ...toSignals(reading) };
        });
        const states = await service.sendBatch(lines);
        states.forEach((answer, index) => {
          answers[person]?.push({ reading: part[index] as Reading, answer });
          onAnswer();
        });
      }
  };
  await Promise.all(Array.from({ length: peopleAtOnce }, sendNext));
  return answers;
}

/** Returns the ms by which `backfill` shifts the times of histories. */
export function findShift(
  service: Pick<EvaluatedService, 'now'>,
  histories: readonly { readonly readings: readonly { readonly atMs: number }[] }[],
): number {
  const newestMs = Math.max(...histories.map(({ readings }) => readings.at(-1)?.atMs ?? 0));
  return Math.floor((service.now() - newestMs) / dayMs) * dayMs;
}

export function split<T>(items: readonly T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
}
