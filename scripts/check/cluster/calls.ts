import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/store/database.js';

/** Longer than several rounds in which a process writes its counts, ms. */
const settledMs = 2_000;

/** Returns the monthly calls of all accounts, after every process has written its counts. */
export async function readCalls(databaseUrl: string): Promise<number> {
  const knex = openDatabase(readConfig({ DATABASE_URL: databaseUrl }).database);
  try {
    for (let last = -1; ;) {
      const [row] = await knex('usage_months').sum({ calls: 'calls' });
      const calls = Number(row?.['calls'] ?? 0);
      if (calls === last) return calls;
      last = calls;
      await sleep(settledMs);
    }
  } finally {
    await knex.destroy();
  }
}
