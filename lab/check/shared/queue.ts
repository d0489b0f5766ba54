import { setTimeout as sleep } from 'node:timers/promises';
import { openKnex } from '../../bench/support/databases.js';

const lookMs = 500;

/** Counts the events and deliveries in a database. Uses a separate connection. */
export function watchQueue(databaseUrl: string) {
  const knex = openKnex(databaseUrl);
  const waiting = async (): Promise<number> => {
    const [events] = await knex('outbox').count({ count: '*' });
    const [deliveries] = await knex('deliveries').count({ count: '*' }).whereIn('status', ['queued', 'due']);
    return Number(events?.['count']) + Number(deliveries?.['count']);
  };
  return {
    waiting,
    /**
     * Resolves when the queue is empty. Rejects if the queue is not empty after `limitMs`. Calls `onLook` every 5 s.
     */
    async empty(limitMs: number, onLook: (count: number) => void = () => {}): Promise<void> {
      const endsAtMs = Date.now() + limitMs;
      for (let looks = 1; ; looks += 1) {
        const count = await waiting();
        if (looks % 10 === 0) onLook(count);
        if (count === 0) return;
        if (Date.now() > endsAtMs)
          throw new Error(`${count} deliveries still queued after ${Math.round(limitMs / 1000)} s`);
        await sleep(lookMs);
      }
    },
    close: () => knex.destroy(),
  };
}
