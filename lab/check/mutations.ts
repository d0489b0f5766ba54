/**
 * Changes the code at random places, one small change at a time, and runs the narrow tests of the feature. A change that no
 * test notices is printed. Exits with 1 if less than 90 % of the changes are noticed. Works on a copy of the committed files.
 * The copy contains all changes, and one of them has an effect at a time, so that one process runs the tests for all of
 * them. Only the tests that run the changed code are repeated.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Command, Option } from 'commander';
import { withProgress } from '../../packages/tools/terminal/progress.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { textTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { owe } from '../../testkit/owed.js';
import { figureColumns, percent } from '../figures.js';
import { positive } from '../options.js';
import { type Change, listChanges } from './mutations/changes.js';
import { makeCopy, type Place } from './mutations/copy.js';
import { type Feature, features } from './mutations/features.js';
import { observe, tryChange } from './mutations/trials.js';
import { startWarmTests } from './mutations/warm-tests.js';

interface Options {
  readonly only: readonly string[];
  readonly places: number;
  readonly seed: number;
  readonly at?: readonly string[];
  readonly list: boolean;
}

interface Drawn {
  readonly feature: Feature;
  readonly places: readonly Place[];
}

interface Row {
  readonly name: string;
  readonly changes: number;
  readonly noticed: number;
}

const requiredShare = 0.9;
const names = features.map(({ name }) => name);

await launch(
  new Command('check:mutations')
    .description('Change the code at random places and count the changes that the tests notice.')
    .addOption(new Option('--only <features...>', 'features to change').choices(names).default(names))
    .option('--places <number>', 'changes per feature', positive, 12)
    .option('--seed <number>', 'seed of the random places', positive, 1)
    .option('--at <lines...>', 'all changes of these lines, e.g. packages/score/live.ts:35, instead of random places')
    .option('--list', 'print the changes without running tests', false)
    .action(check),
);

async function check({ only, places, seed, at, list }: Options): Promise<void> {
  const drawn = features
    .filter(({ name }) => only.includes(name))
    .map((feature) => ({ feature, places: at ? placesAt(feature, at) : drawPlaces(feature, places, seed) }))
    .filter((it) => it.places.length > 0);
  const all = drawn.flatMap((it) => it.places);
  if (list) return console.log(all.map((it) => it.description).join('\n'));
  const folder = mkdtempSync(`${tmpdir()}/mutations-`);
  const remove = owe(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    report(await tryAll(drawn, folder));
  } finally {
    await remove();
  }
}

async function tryAll(drawn: readonly Drawn[], folder: string): Promise<Row[]> {
  const all = drawn.flatMap((it) => it.places);
  const copy = makeCopy(folder, all);
  process.chdir(folder);
  const tests = await startWarmTests(folder);
  const stop = owe(tests.stop);
  const rows: Row[] = [];
  try {
    await withProgress(all.length, 'changes', async (progress) => {
      for (const { feature, places } of drawn) {
        const files = await observe(copy, tests, feature.tests);
        let noticed = 0;
        for (const place of places) {
          const change = { number: all.indexOf(place) + 1, isTopLevel: place.isTopLevel };
          const { isNoticed, reason } = await tryChange(copy, tests, change, files);
          if (isNoticed) noticed += 1;
          process.stderr.write(`${isNoticed ? 'noticed' : 'NOT NOTICED'}: ${place.description} (${reason})\n`);
          progress.advance();
        }
        rows.push({ name: feature.name, changes: places.length, noticed });
      }
    });
  } finally {
    await stop();
  }
  return rows;
}

function report(sections: readonly Row[]): void {
  const sum = (key: 'changes' | 'noticed') => sections.reduce((total, it) => total + it[key], 0);
  const all = { name: 'all', changes: sum('changes'), noticed: sum('noticed') };
  const rows = [...sections, all].map(({ name, changes, noticed }) => [
    name,
    String(changes),
    String(noticed),
    percent(noticed / changes, 0),
  ]);
  console.log(textTable([{ title: 'feature' }, ...figureColumns('changes', 'noticed', 'share')], [rows]));
  if (all.noticed / all.changes < requiredShare) process.exitCode = 1;
}

function listPlaces({ sources }: Feature): Place[] {
  return sources.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    return listChanges(path, text).map((it) => ({ ...it, path, description: describe(path, text, it) }));
  });
}

function placesAt(feature: Feature, lines: readonly string[]): Place[] {
  return listPlaces(feature).filter(({ path, line }) => lines.includes(`${path}:${line}`));
}

function drawPlaces(feature: Feature, count: number, seed: number): Place[] {
  const random = seededRandom(seed + names.indexOf(feature.name));
  return listPlaces(feature)
    .map((place) => ({ place, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ place }) => place);
}

function describe(path: string, text: string, { line, kind, start, end, replacement }: Change): string {
  const before = text.slice(start, end).replaceAll(/\s+/g, ' ');
  return `${path}:${line} ${kind}: ${before.slice(0, 80)} → ${replacement.slice(0, 80)}`;
}
