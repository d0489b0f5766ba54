/**
 * `npm run measure:start`: measures the CPU time from the start of the service until it is ready, and its resident
 * memory when idle. Starts dist/main.js like the installed command, on SQLite. Requires Linux (/proc).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { owe } from '../../contract-tests/support/owed.js';
import { markdownTable } from '../../src/terminal/table.js';
import { launch } from '../terminal/launch.js';
import { positive } from '../terminal/options.js';
import { middle } from './support/rounds.js';
import { describeMachine, machineLine } from './support/machine.js';
import { type Usage, usageOf } from './support/usage.js';

interface Options {
  readonly rounds: number;
  readonly idleSeconds: number;
}

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** The options that `npm start`, the systemd unit and the container pass to Node. */
const startOptions = ['--single-threaded-gc', '--max-semi-space-size=8'];
const goals = { cpuSeconds: 1, residentMb: 110 };

const command = new Command('measure:start')
  .description('Measures the CPU time of a start and the memory of the idle service.')
  .option('--rounds <count>', 'starts per row; the result is their median', positive, 5)
  .option('--idle-seconds <seconds>', 'time from ready to the measurement of the memory', positive, 60)
  .action(measure);
await launch(command);

async function measure({ rounds, idleSeconds }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'measure-start-'));
  const remove = owe(() => rm(folder, { recursive: true }));
  try {
    const existing = join(folder, 'existing');
    await startedUsage([], existing);
    const [empty, again] = [[] as number[], [] as number[]];
    for (let round = 0; round < rounds; round++) {
      empty.push((await startedUsage([], join(folder, String(round)))).cpuMs);
      again.push((await startedUsage([], existing)).cpuMs);
    }
    const plain = await startedUsage([], existing, idleSeconds);
    const withOptions = await startedUsage(startOptions, existing, idleSeconds);
    const idle = `Resident memory, idle for ${idleSeconds} s`;
    const seconds = (values: readonly number[]) => `${(middle(values) / 1000).toFixed(2)} s`;
    const rows = [
      ['CPU time to ready, empty data folder', seconds(empty), `≤ ${goals.cpuSeconds.toFixed(1)} s`],
      ['CPU time to ready, existing data folder', seconds(again), `≤ ${goals.cpuSeconds.toFixed(1)} s`],
      [`${idle}, installed command`, `${plain.residentMb.toFixed(0)} MB`, `≤ ${goals.residentMb} MB`],
      [`${idle}, options of \`npm start\``, `${withOptions.residentMb.toFixed(0)} MB`, `≤ ${goals.residentMb} MB`],
    ];
    console.log(`${machineLine(describeMachine())}. Median of ${rounds} starts.\n`);
    const columns = [
      { title: 'Measure' },
      { title: 'Result', align: 'right' },
      { title: 'Goal', align: 'right' },
    ] as const;
    console.log(markdownTable(columns, [rows]));
  } finally {
    await remove();
  }
}

/** Starts the service and stops it again. Returns its usage this long after it is ready. */
async function startedUsage(nodeOptions: readonly string[], folder: string, idleSeconds = 0): Promise<Usage> {
  const child = spawn(process.execPath, [...nodeOptions, program], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const end = owe(async () => {
    child.kill('SIGTERM');
    await closed;
  });
  try {
    await ready(child);
    await sleep(1000 * idleSeconds);
    const usage = child.pid === undefined ? undefined : usageOf(child.pid);
    if (!usage) throw new Error('the usage of a process is read from /proc, which this system does not have');
    return usage;
  } finally {
    await end();
  }
}

async function ready(child: ChildProcess): Promise<void> {
  let output = '';
  const stopped = once(child, 'close').then(() => Promise.reject(new Error('the service did not start')));
  const isReady = new Promise<void>((resolve) => {
    child.stdout?.on('data', (text) => {
      output += text;
      if (output.includes('Listening on')) resolve();
    });
  });
  await Promise.race([isReady, stopped]);
  // The service also stops after the measurement.
  stopped.catch(() => undefined);
}
