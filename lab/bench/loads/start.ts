/**
 * Measures the CPU time from the start of the service until it is ready, and its resident memory when idle. Starts
 * dist/main.js like the installed command, on SQLite. Requires Linux (/proc).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { markdownTable } from '../../../packages/tools/terminal/table.js';
import { readUsage, startServiceProgram } from '../../../testkit/program.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { withDatabase } from '../support/databases.js';
import { describeMachine, machineLine } from '../support/machine.js';
import { middle } from '../support/rounds.js';
import { startOptions } from '../support/service.js';

const goals = { cpuSeconds: '≤ 0.8 s', residentMb: '≤ 100 MB' };

export const start = new Command('start')
  .description('Measures the CPU time of a start and the memory of the idle service.')
  .option('--rounds <count>', 'starts per row; the result is their median', positive, 5)
  .option('--idle-seconds <seconds>', 'time from ready to the measurement of the memory', positive, 60)
  .action(measure);

async function measure({ rounds, idleSeconds }: { rounds: number; idleSeconds: number }): Promise<void> {
  const rows = await withDatabase('sqlite', async (existing) => {
    await startOnce(existing);
    const [empty, again] = [[] as number[], [] as number[]];
    for (let round = 0; round < rounds; round += 1) {
      empty.push((await withDatabase('sqlite', (url) => startOnce(url))).cpuMs);
      again.push((await startOnce(existing)).cpuMs);
    }
    const idle = `Resident memory, idle for ${idleSeconds} s`;
    const seconds = (values: readonly number[]) => `${(middle(values) / 1000).toFixed(2)} s`;
    const megabytes = async (nodeArgs: readonly string[]) =>
      `${(await startOnce(existing, nodeArgs, idleSeconds)).residentMb.toFixed(0)} MB`;
    return [
      ['CPU time to ready, empty data folder', seconds(empty), goals.cpuSeconds],
      ['CPU time to ready, existing data folder', seconds(again), goals.cpuSeconds],
      [`${idle}, installed command`, await megabytes([]), goals.residentMb],
      [`${idle}, options of \`npm start\``, await megabytes(startOptions), goals.residentMb],
    ];
  });
  console.log(`${machineLine(describeMachine())}. Median of ${rounds} starts.\n`);
  console.log(markdownTable([{ title: 'Measure' }, ...figureColumns('Result', 'Goal')], [rows]));
}

/** Starts the service and stops it again. Returns its usage `idleSeconds` after it is ready. */
async function startOnce(url: string, nodeArgs: readonly string[] = [], idleSeconds = 0) {
  const service = await startServiceProgram({ DATABASE_URL: url, LOG_LEVEL: 'error' }, { nodeArgs });
  try {
    await sleep(1000 * idleSeconds);
    return readUsage(service.pid);
  } finally {
    await service.stop();
  }
}
