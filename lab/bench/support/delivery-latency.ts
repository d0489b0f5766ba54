import { withProgress } from '../../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { openReceiver } from '../../../testkit/open-receiver.js';
import { freePorts } from '../../../testkit/program.js';
import { watchChanges } from '../../check/shared/changes.js';
import { createRequest, createWebhookClient } from '../../check/shared/client.js';
import { changing } from '../../check/shared/load.js';
import { withProcesses } from '../../check/shared/processes.js';

/** Number of sessions. Readings alternate between them, so that no session reaches its limit of readings per minute. */
const sessionCount = 10;
const pauseMs = [60, 160] as const;
/** Maximum number of readings per state change. Usually seven of eight readings change the state. */
const quietMax = 5;
const settleMs = 60_000;

export interface LatencyLoad {
  readonly changes: number;
  /** Whether the worker runs in a separate process. */
  readonly isAlone: boolean;
  /** Receiver of a second webhook that gets the same events. Without it, there is only one webhook. */
  readonly neighbor?: 'working' | 'refusing' | 'hanging';
}

/** Times of the arrivals of events, ms. */
export interface ChangeTimes {
  /** Since the response of the reading. The response is sent after the commit. */
  readonly sinceAnswer: readonly number[];
  readonly sinceSent: readonly number[];
}

/** Starts a service with a webhook and times the events of state changes. */
export async function timeChanges(databaseUrl: string, load: LatencyLoad): Promise<ChangeTimes> {
  const { changes, isAlone, neighbor } = load;
  const [closedPort = 0] = await freePorts(1);
  const members = [
    { name: 'service', env: { WORKER: isAlone ? '0' : '1' } },
    ...(isAlone ? [{ name: 'worker', args: ['deliver'] }] : []),
  ];
  const second = await openReceiver((_, response) => neighbor === 'working' && response.writeHead(204).end());
  const time = (url: string, key: string) =>
    withProgress(changes, `changes, worker ${isAlone ? 'alone' : 'in process'}`, async ({ advance }) => {
      let arrived = 0;
      const onChange = () => {
        arrived += 1;
        advance();
      };
      const { measure, close } = await watchChanges({ url: () => url, key, settleMs, onChange });
      const { register } = createWebhookClient(createRequest(url, key));
      if (neighbor) await register(neighbor === 'refusing' ? `http://127.0.0.1:${closedPort}/` : second.url);
      const random = seededRandom(1);
      const sessions = Array.from({ length: sessionCount }, (_, index) => changing(`live-${index}`, random));
      const next = (count: number) => {
        if (count > quietMax * (arrived + sessionCount)) throw new Error('the readings change no state');
        return arrived < changes ? (sessions[count % sessionCount]?.(Math.floor(count / sessionCount)) ?? []) : [];
      };
      const phase = await measure({ senders: [next], random, pauseMs }, (load) => load.finish()).finally(close);
      if (phase.counts.missing.length > 0) throw new Error('an event has not arrived');
      return { sinceAnswer: phase.afterResponseMs, sinceSent: phase.webhookMs };
    });
  return withProcesses({ databaseUrl, account: 'live', members }, ({ urls, key }) => time(urls[0] ?? '', key)).finally(
    second.close,
  );
}
