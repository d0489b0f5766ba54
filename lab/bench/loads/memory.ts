/**
 * Measures the resident memory of one process: some time after its start, under load, and per live session. Requires Linux
 * (/proc).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { batch } from '../../../generated/spec.js';
import { createKeyOf, readUsage, type ServiceProgram } from '../../../testkit/program.js';
import { headersOf } from '../../check/shared/client.js';
import { watchMemory } from '../../check/shared/timing.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabases } from '../support/databases.js';
import { type Generator, withGenerator } from '../support/generator.js';
import { describeMachine, loadLine } from '../support/machine.js';
import { createRequests } from '../support/requests.js';
import { startBenchedService, startOptions } from '../support/service.js';

interface Options {
  readonly sessions: number;
  readonly idle: number;
  readonly seconds: number;
}

const goals = { started: 110, loaded: 200 };
/** The share of the sessions before which memory is not counted, because it grows to its usual size. */
const firstShare = 0.1;
/** Time for the collection of garbage, ms. */
const settleMs = 10_000;

export const memory = new Command('memory')
  .description('Memory of a process after its start, under load, and per live session.')
  .addOption(databaseOption)
  .option('--sessions <number>', 'live sessions', positive, 100_000)
  .option('--idle <seconds>', 'time without requests after the start', positive, 60)
  .option('--seconds <number>', 'length of the load, 64 connections', positive, 20)
  .action(async ({ database, ...options }: Options & { readonly database: DatabaseChoice }) => {
    const head = loadLine(describeMachine());
    const kinds = await findDatabases(database);
    await withGenerator(async (generator) => {
      for (const kind of kinds)
        await withDatabases(kind, 1, async ([url = '']) => {
          const rows = await measure(url, generator, options);
          console.log(
            `${titleOf(kind)}\n\n${textTable([{ title: 'figure' }, ...figureColumns('', 'goal')], [rows])}\n`,
          );
        });
    });
    console.log(`${head}.`);
  });

async function measure(url: string, generator: Generator, { sessions, idle, seconds }: Options): Promise<string[][]> {
  const key = await createKeyOf(url, 'bench');
  const service = await startBenchedService(url, {}, { nodeArgs: startOptions });
  try {
    await sleep(idle * 1_000);
    const startedMb = readUsage(service.pid).residentMb;
    const [, loadedMb] = await watchMemory(service.pid, () =>
      // The sessions of this load have other names than those below.
      generator.measure([service], { key, load: 'every', seconds, warmUpSeconds: 5 }),
    );
    const next = createRequests(sessions).batch;
    const first = Math.ceil((firstShare * sessions) / batch.lines_max);
    const all = Math.ceil(sessions / batch.lines_max);
    const firstMb = await sendBatches(service, key, next, first);
    const allMb = await sendBatches(service, key, next, all - first);
    const bytes = ((allMb - firstMb) * 1e6) / ((all - first) * batch.lines_max);
    return [
      [`${idle} s after the start, MB`, startedMb.toFixed(0), `≤ ${goals.started}`],
      [`highest under load, MB`, loadedMb.toFixed(0), `≤ ${goals.loaded}`],
      [`with ${sessions} live sessions, MB`, allMb.toFixed(0), ''],
      ['per live session, bytes', bytes.toFixed(0), ''],
    ];
  } finally {
    await service.stop();
  }
}

/** Sends as many batches. Returns the resident memory afterwards, MB. Rejects if a response has no status 2xx. */
async function sendBatches(
  { url, pid }: ServiceProgram,
  key: string,
  next: ReturnType<typeof createRequests>['batch'],
  count: number,
): Promise<number> {
  for (let sent = 0; sent < count; sent += 1) {
    const { path, body = '', headers } = next();
    const response = await fetch(url + path, { method: 'POST', body, headers: { ...headersOf(key), ...headers } });
    const text = await response.text();
    if (!response.ok || text.includes('"error"'))
      throw new Error(`a batch got status ${response.status}: ${text.slice(0, 1_000)}`);
  }
  await sleep(settleMs);
  return readUsage(pid).residentMb;
}
