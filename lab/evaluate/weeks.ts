/**
 * Measures Trigger Memory over weeks. Simulates people whose days are those of real wearers, with rises of the heart
 * rate after stressful turns and sentences that no model was fitted on. Standard output contains only the tables.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { intervalOverPeople } from '../../packages/tools/evaluate/statistics.js';
import { startProgress } from '../../packages/tools/terminal/progress.js';
import { markdownTable, type TableRow, textTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { readWearers } from '../../testkit/simulation/days.js';
import { readStreams } from '../../testkit/simulation/stream.js';
import { figureColumns } from '../figures.js';
import { seeds } from '../options.js';
import { judgeWeeks } from './support/life-weeks.js';
import { liveThrough, type Mode, modes, type Remembered, type Sharing, sharings } from './support/weeks-run.js';
import { judgeMessages } from './support/weeks-texts.js';
import { type Life, measureRises, simulateLives } from './support/weeks-world.js';

interface Options {
  readonly data: string;
  readonly seeds: readonly number[];
  readonly modes: readonly Mode[];
  readonly sharing: readonly Sharing[];
  readonly by: 'seed' | 'wearer';
  readonly goals: boolean;
  readonly markdown: boolean;
}

const columns = [
  { title: 'sessions, signals' },
  { title: 'people' },
  ...figureColumns('turns', 'known', 'stressful', 'active', 'right', 'precision', 'chance', 'recall'),
];

const command = new Command('evaluate:weeks')
  .description('Measure how well Trigger Memory finds the topics that stress a person over two to three weeks.')
  .option('--data <folder>', 'folder of the data files', dataDefaultPath)
  .option('--seeds <numbers...>', 'seeds of people and sentences, e.g. 4-9', seeds)
  .option('--goals', 'only the figures with a goal, of the heart alone, in minutes', false)
  .addOption(new Option('--modes <names...>', 'signals of the chat').choices(modes).default(modes))
  .addOption(new Option('--sharing <names...>', 'what a turn is scored with').choices(sharings).default(['shared']))
  .addOption(
    new Option('--by <group>', 'a row per seed, or per wearer of the days').choices(['seed', 'wearer']).default('seed'),
  )
  .option('--markdown', 'print the table as Markdown', false)
  .action(({ seeds = [1, 2, 3], ...options }: Options) => evaluate({ ...options, seeds }));
void launch(command);

async function evaluate(options: Options): Promise<void> {
  const print = options.markdown ? markdownTable : textTable;
  if (!options.goals) return console.log(print(columns, compareModes(options)));
  const { data, seeds, sharing } = options;
  for (const it of sharing) {
    const title = `heart alone, sessions ${it}`;
    console.log(print([{ title }, ...figureColumns('goal', 'result')], [await judgeWeeks(data, seeds, it)]));
  }
}

function compareModes({ data, seeds, modes, sharing, by }: Options): TableRow[][] {
  const worlds = seeds.map((seed) => ({ seed, lives: simulate(data, seed) }));
  const runs = sharing.flatMap((shared) => modes.map((mode) => ({ shared, mode })));
  const progress = startProgress(process.stderr, runs.length * worlds.length, 'runs of all people');
  const sections = runs.map(({ shared, mode }) => {
    const remembered = worlds.flatMap(({ seed, lives }) => {
      const people = lives.map((life) => ({ ...liveThrough(life, { mode, sharing: shared, seed }), seed }));
      progress.advance();
      return people;
    });
    const groups = groupBy(remembered, (it) => (by === 'seed' ? `seed ${it.seed}` : `wearer ${it.life.wearer}`));
    const name = `${shared}, ${mode}`;
    return [...groups, ['all', remembered] as const].map(([people, members]) => row(name, people, members));
  });
  progress.stop();
  return sections;
}

function simulate(data: string, seed: number): Life[] {
  const read = (name: string) => readFileSync(join(data, name), 'utf8');
  const rises = measureRises(readStreams(read('wrist_dev.csv')) ?? []);
  return simulateLives(readWearers(read('wearers_dev.csv')), rises, judgeMessages(data, seed), seed);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyArray<readonly [string, readonly T[]]> {
  return [...new Set(items.map(keyOf))].map((key) => [key, items.filter((item) => keyOf(item) === key)]);
}

/** Intervals are 95 % percentile intervals over wearers. */
function row(name: string, people: string, remembered: readonly Remembered[]): TableRow {
  const byWearer = groupBy(remembered, ({ life }) => String(life.wearer)).map(([, members]) => members);
  const withInterval = (figure: (its: readonly Remembered[]) => number) => {
    const [low, high] = intervalOverPeople(byWearer, (its) => figure(its.flat()));
    const value = figure(remembered);
    return Number.isNaN(value) ? '' : `${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  };
  const total = (its: readonly Remembered[], count: (it: Remembered) => number) =>
    its.reduce((sum, it) => sum + count(it), 0);
  const right = (it: Remembered) => [...it.active].filter((topic) => it.stressful.has(topic)).length;
  const active = (it: Remembered) => it.active.size;
  const stressful = (it: Remembered) => it.stressful.size;
  // The precision of as many topics per person, drawn among those that were named.
  const byChance = (it: Remembered) => (active(it) * stressful(it)) / Math.max(1, it.known.size);
  return [
    name,
    people,
    ...[(it: Remembered) => it.life.turns.length, (it: Remembered) => it.known.size, stressful, active, right].map(
      (count) => String(total(remembered, count)),
    ),
    withInterval((its) => total(its, right) / total(its, active)),
    total(remembered, active) > 0 ? (total(remembered, byChance) / total(remembered, active)).toFixed(2) : '',
    withInterval((its) => total(its, right) / total(its, stressful)),
  ];
}
