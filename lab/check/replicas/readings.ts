import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Schema, StateReading, Submission } from '../../../src/contract/contract.js';
import { storyEnv } from '../../../testkit/story.js';
import { ample } from '../../bench/support/service.js';
import { createRequest } from '../shared/client.js';
import { endure } from '../shared/endure.js';
import type { SentReadings } from '../shared/load.js';
import { findMoves, type Verdict } from '../shared/verdict.js';
import { spread } from './load.js';
import { type Stage, withServices } from './stage.js';
import { type Faults, judgeReadings, type Shown } from './verdict.js';

const settleMs = 60_000;

export interface ReadingsOptions {
  readonly processes: number;
  readonly sessions: number;
  readonly readings: number;
  readonly seed: number;
}

/** Results for the readings and their events. */
export interface CheckedReadings {
  readonly acknowledged: number;
  /** Number of readings that arrived after a later reading of their session. */
  readonly late: number;
  /** Number of responses to resent readings. */
  readonly resends: number;
  readonly faults: Faults;
  readonly events: Verdict;
}

/** Sends readings to services that also deliver webhooks, and collects the results. */
export async function checkReadings(stage: Stage, options: ReadingsOptions): Promise<CheckedReadings> {
  const { databaseUrl, key } = stage;
  const { processes, sessions, readings, seed } = options;
  const random = seededRandom(seed);
  const settings = { ...ample, ...storyEnv, WEBHOOK_ALLOW_LOOPBACK: '1' };
  return withServices(stage, settings, processes, (services) =>
    withProgress(sessions * readings, 'readings', ({ advance }) => {
      const urls = services.map(({ url }) => url);
      const names = Array.from({ length: sessions }, (_, index) => `replicas-${index}`);
      const seen = new Set<Submission>();
      return endure(
        {
          ...{ databaseUrl, urls: () => urls, key, random, isResent: true, isSpread: true, drainMs: settleMs },
          senders: names.map((name) => spread(name, readings, processes, random)),
          onResponse(reading) {
            if (!seen.has(reading)) advance();
            seen.add(reading);
          },
        },
        async ({ sent, acknowledged }, events) => {
          const all = [...sent.values()].flat();
          return {
            acknowledged,
            late: all.length - [...sent.values()].flatMap(findMoves).length,
            resends: all.reduce((sum, { answers }) => sum + answers.length - 1, 0),
            faults: judgeReadings(sent, await show(sent, urls, key)),
            events,
          };
        },
      );
    }),
  );
}

/** Reads the state and history of every session from every process. */
async function show(sent: SentReadings, urls: readonly string[], key: string): Promise<Map<string, Shown>> {
  const requests = urls.map((url) => createRequest(url, key));
  const shown = new Map<string, Shown>();
  for (const session of sent.keys()) {
    const ask = <T>(path: string) => Promise.all(requests.map((request) => request<T>(path)));
    const histories = await ask<Schema<'History'>>(`/v1/history?session_id=${session}&minutes=60`);
    shown.set(session, { histories, states: await ask<StateReading>(`/v1/state?session_id=${session}`) });
  }
  return shown;
}
