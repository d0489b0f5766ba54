import { storyEnv } from '../../../testkit/story.js';
import type { Schema, StateReading } from '../../../src/contract/contract.js';
import { ample } from '../../bench/support/service.js';
import { createRequest, createWebhookClient } from '../shared/client.js';
import { watchQueue } from '../shared/queue.js';
import { startUnreliableReceiver } from '../shared/receiver.js';
import { judge as judgeEvents, type Verdict } from '../shared/verdict.js';
import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { resend, sendReadings, type SentReadings } from './load.js';
import { type Stage, withServices } from './stage.js';
import { changesOf, type Faults, judgeReadings, type Shown } from './verdict.js';

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
  const receiver = await startUnreliableReceiver(random);
  receiver.recover();
  const queue = watchQueue(databaseUrl);
  try {
    const settings = { ...ample, ...storyEnv, WEBHOOK_ALLOW_LOOPBACK: '1' };
    return await withServices(stage, settings, processes, async (services) => {
      const urls = services.map(({ url }) => url);
      const client = createWebhookClient(createRequest(urls[0] ?? '', key));
      receiver.expect((await client.register(receiver.url)).secret);
      const sent = await withProgress(sessions * readings, 'readings', ({ advance }) =>
        sendReadings({ urls, key, sessions, readings, random, onReading: advance }),
      );
      await resend(sent, urls, key);
      await queue.empty(settleMs);
      const all = [...sent.values()].flat();
      return {
        acknowledged: all.length,
        late: all.filter(({ timestamp, answers: [first] }) => first?.timestamp !== timestamp).length,
        resends: all.reduce((sum, { answers }) => sum + answers.length - 1, 0),
        faults: judgeReadings(sent, await show(sent, urls, key)),
        events: judgeEvents({ changes: changesOf(sent), ...receiver, failed: await client.allFailed() }),
      };
    });
  } finally {
    await queue.close();
    receiver.close();
  }
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
