/**
 * Compares the CPU time per request of this tree with that of another one, e.g. of the last release. Both services run at
 * the same time and get slices of a few hundred requests in turns, so that a noisy machine slows both alike.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { settingsFor } from '../../../testkit/databases.js';
import { type ServiceProgram, startProgram, startServiceProgram } from '../../../testkit/program.js';
import { createRequest } from '../../check/shared/client.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { createRequests, type Load } from '../support/requests.js';
import { middleOf, takeTurns } from '../support/rounds.js';
import { ample } from '../support/service.js';

interface Options {
  readonly database: DatabaseChoice;
  readonly slices: number;
  readonly requests: number;
}

export const slices = new Command('slices')
  .description('CPU time per request of each thread, compared with another tree in alternating slices.')
  .argument('<folder>', 'the other tree, with its build (npm ci && npm run build)')
  .addOption(databaseOption)
  .option('--slices <number>', 'slices of each tree', positive, 30)
  .option('--requests <number>', 'requests of a slice', positive, 300)
  .action(compare);

/** CPU time since the start, ns. `http` is the main thread, `rest` all others: the core, its compiler and its collector. */
interface Cpu {
  readonly http: number;
  readonly rest: number;
}

async function compare(folder: string, options: Options): Promise<void> {
  const mains = { before: join(folder, 'dist/main.js'), after: 'dist/main.js' };
  for (const kind of await findDatabases(options.database))
    for (const load of ['plain', 'turn'] as const) {
      const rows = await withDatabase(kind, (before) =>
        withDatabase(kind, (after) => measure(load, mains, { before, after }, options)),
      );
      const columns = figureColumns('before', 'after', 'ratio');
      console.log(`\n${titleOf(kind)}, ${load}: CPU per request, µs, medians of the slices`);
      console.log(textTable([{ title: 'thread' }, ...columns], [rows]));
    }
}

type Sides<T> = Readonly<Record<'before' | 'after', T>>;

async function measure(load: Load, mains: Sides<string>, urls: Sides<string>, { slices, requests }: Options) {
  const sides = { before: await open(mains.before, urls.before), after: await open(mains.after, urls.after) };
  try {
    // The first slices compile the code.
    const spent = await takeTurns(['before', 'after'], slices + 2, (side) => runSlice(sides[side], load, requests));
    const toMicros = (side: keyof typeof sides, pick: (cpu: Cpu) => number) =>
      middleOf(spent[side].slice(2), (cpu) => pick(cpu) / requests / 1000);
    return Object.entries(threads).map(([title, pick]) => {
      const [before, after] = [toMicros('before', pick), toMicros('after', pick)];
      return [title, before.toFixed(0), after.toFixed(0), (after / before).toFixed(2)];
    });
  } finally {
    await Promise.all([sides.before.program.stop(), sides.after.program.stop()]);
  }
}

const threads: Readonly<Record<string, (cpu: Cpu) => number>> = {
  HTTP: ({ http }) => http,
  'core and others': ({ rest }) => rest,
  both: ({ http, rest }) => http + rest,
};

interface Opened {
  readonly program: ServiceProgram;
  readonly key: string;
  readonly next: ReturnType<typeof createRequests>;
}

async function open(main: string, url: string): Promise<Opened> {
  const env = { ...settingsFor(url), LOG_LEVEL: 'info', ...ample };
  const create = startProgram({ args: [main, 'keys', 'create', '--account', 'bench', '--tier', 'enterprise'], env });
  const { stdout, stderr } = await create.ended;
  const [key] = /sk_\w+/.exec(stdout) ?? [];
  if (key === undefined) throw new Error(`no key was created: ${stderr}`);
  return { program: await startServiceProgram(env, { file: main }), key, next: createRequests() };
}

const atOnce = 8;

async function runSlice({ program, key, next }: Opened, load: Load, requests: number): Promise<Cpu> {
  const before = readCpu(program.pid);
  let left = requests;
  const request = createRequest(program.url, key);
  const send = async () => {
    while (left-- > 0) {
      const { path, body } = next[load]();
      await request(path, body && JSON.parse(body));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  const after = readCpu(program.pid);
  return { http: after.http - before.http, rest: after.rest - before.rest };
}

function readCpu(pid: number): Cpu {
  let [http, rest] = [0, 0];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const ns = Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    if (Number(thread) === pid) http += ns;
    else rest += ns;
  }
  return { http, rest };
}
