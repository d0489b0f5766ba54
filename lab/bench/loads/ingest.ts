/**
 * Measures the CPU time of a reading without HTTP. This process commits groups of readings in the same way as the core.
 * CPU time and lower quartiles are robust against other load on the machine.
 */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { createTexts } from '../../../packages/text/texts.js';
import { startProgress } from '../../../packages/tools/terminal/progress.js';
import { quantile } from '../../../packages/tools/terminal/quantile.js';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { readConfig } from '../../../src/config/config.js';
import { processGroup } from '../../../src/readings/group.js';
import { createPrepareReading } from '../../../src/readings/intake.js';
import { openStore } from '../../../src/store/store.js';
import type { DatabaseKind } from '../../../testkit/databases.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { createRequests } from '../support/requests.js';

const loads = { plain: 'a reading', turn: 'with a turn of 200 + 300 characters' } as const;
type Load = keyof typeof loads;
const warmUps = 100;
const caller = { accountId: 'bench', keyId: 'bench', tier: 'enterprise' } as const;
const prepareReading = createPrepareReading({
  texts: createTexts(readFileSync(new URL('../../../packages/text/weights/text.bin', import.meta.url))),
  digestKeys: ['bench'],
  now: Date.now,
  maxTimestampAgeMs: Number.POSITIVE_INFINITY,
  maxBackfillAgeMs: Number.POSITIVE_INFINITY,
});

interface Options {
  readonly size: number;
  readonly groups: number;
}

/** Cost of one group, in µs per reading. */
interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

export const ingest = new Command('ingest')
  .description('Time per reading in the core, in groups, with and without a conversation turn.')
  .addOption(databaseOption)
  .option('--size <number>', 'readings per group', positive, 24)
  .option('--groups <number>', 'groups per load', positive, 500)
  .action(bench);

async function bench({ database, ...options }: Options & { database: DatabaseChoice }): Promise<void> {
  const sections = [];
  for (const kind of await findDatabases(database)) sections.push(await measure(kind, options));
  const columns = figureColumns('CPU µs, lower quartile', 'committed µs, lower quartile', 'median');
  console.log(textTable([{ title: 'database' }, { title: 'load' }, ...columns], sections));
  console.log(
    `\n${options.groups} groups of ${options.size}, alternating, after ${warmUps} warm-up groups; µs per reading.`,
  );
}

/** Measures both loads alternately, each on its own database. */
async function measure(kind: DatabaseKind, { size, groups }: Options): Promise<string[][]> {
  const progress = startProgress(process.stderr, warmUps + groups, 'groups of each');
  try {
    return await withDatabase(kind, (plainUrl) =>
      withDatabase(kind, async (turnUrl) => {
        const [plain, turn] = [await openLoad(plainUrl, 'plain', size), await openLoad(turnUrl, 'turn', size)];
        const costs: Record<Load, Cost[]> = { plain: [], turn: [] };
        for (let round = 0; round < warmUps + groups; round += 1, progress.advance()) {
          for (const load of [plain, turn]) {
            const cost = await load.takeGroup();
            if (round >= warmUps) costs[load.name].push(cost);
          }
          // SQLite runs synchronously. Without this pause, no signal would be handled.
          await new Promise(setImmediate);
        }
        await Promise.all([plain.close(), turn.close()]);
        return [plain, turn].map(({ name }) => [titleOf(kind), loads[name], ...cellsOf(costs[name])]);
      }),
    );
  } finally {
    progress.stop();
  }
}

async function openLoad(url: string, name: Load, size: number) {
  const store = openStore(readConfig({ DATABASE_URL: url }).database);
  await store.migrate();
  const next = createRequests()[name];
  // Copies a prepared reading, because the service copies it to the core's thread.
  const draw = () => structuredClone(prepareReading(caller, JSON.parse(next().body ?? '')));
  return {
    name,
    close: store.close,
    async takeGroup(): Promise<Cost> {
      const group = Array.from({ length: size }, draw);
      const [cpu, startedAtMs] = [process.cpuUsage(), performance.now()];
      await processGroup(store, group, Date.now(), () => []);
      const wall = 1_000 * (performance.now() - startedAtMs);
      const { user, system } = process.cpuUsage(cpu);
      return { cpu: (user + system) / size, wall: wall / size };
    },
  };
}

function cellsOf(costs: readonly Cost[]): string[] {
  const [cpu, wall] = [costs.map((cost) => cost.cpu), costs.map((cost) => cost.wall)];
  return [quantile(cpu, 0.25), quantile(wall, 0.25), quantile(wall, 0.5)].map((micros) => micros.toFixed(0));
}
