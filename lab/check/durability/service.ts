import { type Scene, scenes, seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { atLeast, type Row } from '../../../testkit/verdict.js';
import { changing, type Load, type Sender, startLoad, steady } from '../shared/load.js';
import { withProcesses } from '../shared/processes.js';
import { countLost } from '../shared/verdict.js';
import { startFollowers } from './followers.js';

/** Sessions with an odd number send batches of this many readings, the others send single readings. */
const batchLines = 10;
/** Number of further senders whose readings change the state. */
const changingSenders = 8;

/** What is killed again and again under load. */
export interface Trial {
  readonly title: string;
  readonly databaseUrl: string;
  readonly kills: number;
  readonly sessions: number;
  readonly seed: number;
  readonly killAll: (load: Load, kill: () => Promise<unknown>) => Promise<unknown>;
}

/** Kills the service, or runs `kill`, while clients send readings and follow the streams. */
export function endureService({ title, databaseUrl, sessions, seed, killAll }: Trial, kill?: () => Promise<void>) {
  const random = seededRandom(seed);
  const options = { databaseUrl, account: 'durable', members: [{ name: 'service' }] };
  return withProcesses(options, async ({ fleet, urls, key }): Promise<Row[][]> => {
    const [url = ''] = urls;
    const sessionIds = Array.from({ length: sessions }, (_, index) => `durable-${index}`);
    const followers = await startFollowers(url, key, sessionIds);
    try {
      const load = startLoad({ urls: () => urls, key, senders: sendersOf(sessionIds, random), random });
      await killAll(load, kill ?? (() => fleet.killOne(random))).finally(load.stop);
      const { acknowledged, sent, batched, unanswered } = await load.stop();
      await fleet.ready();
      const lost = await countLost(url, key, sent);
      const { events, changes, reconnects, missed, repeated } = await followers.compare();
      return [
        [
          { what: `${title}: readings acknowledged`, found: acknowledged },
          { what: '  in batches', found: batched },
          { what: '  lost', found: lost, allowed: 0 },
          { what: 'readings without a response', found: unanswered },
          { what: 'events received by all streams', found: events },
          { what: '  missed', found: missed, allowed: 0 },
          { what: '  repeated', found: repeated, allowed: 0 },
          { what: 'state changes', found: changes, allowed: atLeast(1) },
          { what: 'reconnects of streams', found: reconnects },
          { what: 'processes that ended unexpectedly', found: fleet.deaths().length, allowed: 0 },
        ],
      ];
    } finally {
      followers.stop();
    }
  });
}

/** Returns senders of single readings and of batches, and senders whose readings change the state. */
function sendersOf(sessionIds: readonly string[], random: () => number): Sender[] {
  return [
    ...sessionIds.map((session_id, index) =>
      steady(session_id, scenes[index % scenes.length] as Scene, random, index % 2 === 1 ? batchLines : 1),
    ),
    ...Array.from({ length: changingSenders }, (_, index) => changing(`changing-${index}`, random)),
  ];
}
