/**
 * Changes the code at random places, one small change at a time, and runs the narrow tests of the feature. A change that no
 * test notices is printed. Exits with 1 if less than 90 % of the changes are noticed. Changes the files of this checkout
 * and restores them, also after an interruption.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { textTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { owe } from '../../testkit/owed.js';
import { figureColumns, percent } from '../figures.js';
import { positive } from '../options.js';
import { type Change, listChanges } from './mutations/changes.js';
import { type Feature, features } from './mutations/features.js';

interface Place extends Change {
  readonly path: string;
}

interface Options {
  readonly only: readonly string[];
  readonly places: number;
  readonly seed: number;
  readonly list: boolean;
}

const requiredShare = 0.9;
const names = features.map(({ name }) => name);

await launch(
  new Command('check:mutations')
    .description('Change the code at random places and count the changes that the tests notice.')
    .addOption(new Option('--only <features...>', 'features to change').choices(names).default(names))
    .option('--places <number>', 'changes per feature', positive, 12)
    .option('--seed <number>', 'seed of the random places', positive, 1)
    .option('--list', 'print the changes without running tests', false)
    .action(check),
);

async function check({ only, places, seed, list }: Options): Promise<void> {
  const drawn = features
    .filter(({ name }) => only.includes(name))
    .map((feature) => ({ feature, places: drawPlaces(feature, places, seed) }));
  if (list) return console.log(drawn.flatMap((it) => it.places.map(describe)).join('\n'));
  if (execFileSync('git', ['status', '--porcelain', '--untracked-files=no']).length > 0) {
    throw new Error('files are changed. Commit them first, because this check changes and restores files');
  }
  const total = drawn.reduce((sum, it) => sum + it.places.length, 0);
  const sections = await withProgress(total, 'changes', async (progress) => {
    const rows = [];
    for (const { feature, places } of drawn) {
      let noticed = 0;
      for (const place of places) {
        if (await isNoticed(place, feature.tests)) noticed += 1;
        else process.stderr.write(`not noticed: ${describe(place)}\n`);
        progress.advance();
      }
      rows.push({ name: feature.name, changes: places.length, noticed });
    }
    return rows;
  });
  const all = {
    name: 'all',
    changes: total,
    noticed: sections.reduce((sum, { noticed }) => sum + noticed, 0),
  };
  const rows = [...sections, all].map(({ name, changes, noticed }) => [
    name,
    String(changes),
    String(noticed),
    percent(noticed / changes, 0),
  ]);
  console.log(textTable([{ title: 'feature' }, ...figureColumns('changes', 'noticed', 'share')], [rows]));
  if (all.noticed / total < requiredShare) process.exitCode = 1;
}

function drawPlaces({ name, sources }: Feature, count: number, seed: number): Place[] {
  const random = seededRandom(seed + names.indexOf(name));
  const all = sources.flatMap((path) => listChanges(path, readFileSync(path, 'utf8')).map((it) => ({ ...it, path })));
  return all
    .map((place) => ({ place, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ place }) => place);
}

/** Returns true if a test fails after the change. Stops at the first failure. */
async function isNoticed({ path, start, end, replacement }: Place, tests: readonly string[]): Promise<boolean> {
  const text = readFileSync(path, 'utf8');
  const restore = owe(async () => writeFileSync(path, text));
  writeFileSync(path, text.slice(0, start) + replacement + text.slice(end));
  try {
    const vitest = spawn('npx', ['vitest', 'run', '--bail', '1', ...tests], { stdio: 'ignore' });
    const [code] = await once(vitest, 'exit');
    return code !== 0;
  } finally {
    await restore();
  }
}

function describe({ path, line, kind, start, end, replacement }: Place): string {
  const before = readFileSync(path, 'utf8').slice(start, end).replaceAll(/\s+/g, ' ');
  return `${path}:${line} ${kind}: ${before.slice(0, 80)} → ${replacement.slice(0, 80)}`;
}
