/**
 * Compares the CPU time per request of this tree with that of another one, e.g. of the last release. Both services run at
 * the same time and get slices of a few hundred requests in turns, so that a noisy machine slows both alike.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { type DatabaseKind, settingsFor } from '../../../testkit/databases.js';
import { type ServiceProgram, startProgram, startServiceProgram } from '../../../testkit/program.js';
import { positive } from '../../options.js';
import { databaseOption, type DatabaseChoice, findDatabases, titleOf, withDatabase } from '../support/databases.js';
import { createRequests, type Load } from '../support/requests.js';
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
      print(kind, load, rows);
    }
}

type Sides<T> = Readonly<Record<'before' | 'after', T>>;

async function measure(load: Load, mains: Sides<string>, urls: Sides<string>, { slices, requests }: Options) {
  const sides = { before: await open(mains.before, urls.before), after: await open(mains.after, urls.after) };
  const spent = { before: [] as Cpu[], after: [] as Cpu[] };
  try {
    for (let slice = 0; slice < slices + 2; slice += 1)
      for (const side of slice % 2 === 0 ? (['before', 'after'] as const) : (['after', 'before'] as const)) {
        const cpu = await runSlice(sides[side], load, requests);
        // The first slices compile the code.
        if (slice >= 2) spent[side].push(cpu);
      }
  } finally {
    await Promise.all([sides.before.program.stop(), sides.after.program.stop()]);
  }
  return { before: toMicros(spent.before, requests), after: toMicros(spent.after, requests) };
}

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
  const send = async () => {
    while (left-- > 0) {
      const { method, path, body = null } = next[load]();
      const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
      const response = await fetch(program.url + path, { method, headers, body });
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
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

function toMicros(cpus: readonly Cpu[], requests: number) {
  const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
  const http = median(cpus.map((it) => it.http / requests / 1000));
  const rest = median(cpus.map((it) => it.rest / requests / 1000));
  return { http, rest, both: median(cpus.map((it) => (it.http + it.rest) / requests / 1000)) };
}

function print(kind: DatabaseKind, load: Load, { before, after }: Sides<ReturnType<typeof toMicros>>): void {
  const row = (name: keyof typeof before, title: string) => [
    title,
    before[name].toFixed(0),
    after[name].toFixed(0),
    (after[name] / before[name]).toFixed(2),
  ];
  console.log(`\n${titleOf(kind)}, ${load}: CPU per request, µs, medians of the slices`);
  console.log(
    [['thread', 'before', 'after', 'ratio'], row('http', 'HTTP'), row('rest', 'core and others'), row('both', 'both')]
      .map((cells) => cells.map((it, index) => (index === 0 ? it.padEnd(18) : it.padStart(8))).join(''))
      .join('\n'),
  );
}
