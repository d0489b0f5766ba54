import { parse } from 'csv-parse/sync';
import { clampToContract } from '../../packages/recordings/signals.js';
import { auc, type Scored } from '../../packages/tools/evaluate/statistics.js';
import type { StreamResponse } from './everyday-claims.js';
import { play, type Player } from './everyday.js';

/** One person's heart rate, at most one row per second. */
export interface HeartStream {
  readonly subject: string;
  readonly rows: readonly { readonly second: number; readonly heartRate: number; readonly isStressor: boolean }[];
}

export const windowSeconds = 60;
/** Duration below which a state is short-lived, s. */
const shortSeconds = 60;

/** Parses a CSV text with the columns subject, second, heart_rate, label. Undefined without a column `second`. */
export function readStreams(csv: string): HeartStream[] | undefined {
  const rows = parse<Record<string, string>>(csv, { columns: true, bom: true, trim: true, skip_empty_lines: true });
  if (rows[0]?.['second'] === undefined) return undefined;
  const subjects = [...new Set(rows.map((row) => row['subject'] ?? ''))];
  return subjects.map((subject) => {
    const own = rows.filter((row) => row['subject'] === subject);
    const first = Number(own[0]?.['second']);
    const toRow = ({ second, heart_rate, label }: Record<string, string>) => ({
      second: Number(second) - first,
      heartRate: clampToContract('heart_rate', Number(heart_rate)),
      isStressor: label === 'stressor',
    });
    return { subject, rows: own.map(toRow) };
  });
}

/** Sends every stream with a reading every `every` seconds, all people in parallel. Returns the responses per person. */
export function replayStreams(
  player: Player,
  streams: readonly HeartStream[],
  every: number,
  onResponse: () => void,
): Promise<StreamResponse[][]> {
  const thinned = streams.map(({ subject, rows }) => ({
    who: `every-${every}-s-${subject}`,
    readings: rows
      .filter(({ second }) => second % every === 0)
      .map(({ second, heartRate }) => ({ second, heart_rate: heartRate })),
  }));
  return play(player, thinned, onResponse);
}

/** Returns the mean published score of each window, with its most frequent label. */
export function scoredWindows({ rows }: HeartStream, responses: readonly StreamResponse[]): Scored[] {
  const windowOf = (second: number) => Math.floor(second / windowSeconds);
  const windows = new Map<number, number[]>();
  for (const { second, stress_score } of responses)
    windows.set(windowOf(second), [...(windows.get(windowOf(second)) ?? []), stress_score]);
  return [...windows].map(([window, scores]) => {
    const labels = rows.filter(({ second }) => windowOf(second) === window);
    const stressors = labels.filter(({ isStressor }) => isStressor).length;
    const score = scores.reduce((sum, it) => sum + it, 0) / scores.length;
    return { score, isStressor: 2 * stressors > labels.length };
  });
}

/** Returns the responses with another score: bpm above the mean of the person's earlier readings, for comparison. */
export function scoreByRunningMean({ rows }: HeartStream, responses: readonly StreamResponse[]): StreamResponse[] {
  const heartRates = new Map(rows.map(({ second, heartRate }) => [second, heartRate]));
  let sum = 0;
  return responses.map((response, index) => {
    const bpm = heartRates.get(response.second) ?? 0;
    const stress_score = index === 0 ? 0 : bpm - sum / index;
    sum += bpm;
    return { ...response, stress_score };
  });
}

export interface StreamFigures {
  readonly auc: number;
  /** AUC of the heart rate above the running mean of the person. */
  readonly meanAuc: number;
  readonly hours: number;
  readonly changes: number;
  /** Number of states that ended within a minute. */
  readonly short: number;
  readonly states: number;
}

export function figuresOf(stream: HeartStream, responses: readonly StreamResponse[]): StreamFigures {
  const starts = responses.filter(({ state }, index) => index === 0 || state !== responses[index - 1]?.state);
  const lengths = starts.slice(1).map(({ second }, index) => second - (starts[index]?.second ?? 0));
  return {
    auc: auc(scoredWindows(stream, responses)),
    meanAuc: auc(scoredWindows(stream, scoreByRunningMean(stream, responses))),
    hours: (responses.at(-1)?.second ?? 0) / 3600,
    changes: starts.length - 1,
    short: lengths.filter((seconds) => seconds < shortSeconds).length,
    states: starts.length,
  };
}

/** Returns the share of seconds in which two replays of one stream publish the same state. */
export function agreementOf(one: readonly StreamResponse[], other: readonly StreamResponse[]): number {
  const [first, second] = [statesBySecond(one), statesBySecond(other)];
  const length = Math.min(first.length, second.length);
  return first.slice(0, length).filter((state, index) => state === second[index]).length / length;
}

function statesBySecond(responses: readonly StreamResponse[]): string[] {
  return responses.flatMap(({ state, second }, index) => {
    const until = responses[index + 1]?.second ?? second + 1;
    return Array<string>(until - second).fill(state);
  });
}
