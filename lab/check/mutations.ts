/**
 * Changes the code at random places, one small change at a time, and runs the narrow tests of the feature. A change that no
 * test notices is printed. Exits with 1 if less than 90 % of the changes are noticed. Works on a copy of the committed files.
 * The copy contains all changes, and one of them has an effect at a time, so that one process runs the tests for all of
 * them. Only the tests that run the changed code are repeated, until a file notices it. With `--price`, every file is tried.
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
import { describePrices, findPrices, type Tried } from './mutations/price.js';
import { observe, type TestFile, tryChange } from './mutations/trials.js';
import { startWarmTests } from './mutations/warm-tests.js';

interface Options {
  readonly only: readonly string[];
  readonly places: number;
  readonly seed: number;
  readonly at?: readonly string[];
  readonly list: boolean;
  readonly price: boolean;
}

interface Drawn {
  readonly feature: Feature;
  readonly places: readonly Place[];
}

/** The changes of a feature that were tried, and the test files that ran. */
interface Section {
  readonly name: string;
  readonly tried: readonly Tried[];
  readonly files: readonly TestFile[];
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
    .option(
      '--price',
      'print what only each test file notices, and its CPU seconds. Takes several times as long',
      false,
    )
    .action(check),
);

async function check({ only, places, seed, at, list, price }: Options): Promise<void> {
  const drawn = features
    .filter(({ name }) => only.includes(name))
    .map((feature) => ({ feature, places: at ? placesAt(feature, at) : drawPlaces(feature, places, seed) }))
    .filter((it) => it.places.length > 0);
  const all = drawn.flatMap((it) => it.places);
  if (list) return console.log(all.map((it) => it.description).join('\n'));
  const folder = mkdtempSync(`${tmpdir()}/mutations-`);
  const remove = owe(async () => rmSync(folder, { recursive: true, force: true }));
  try {
    const sections = await tryAll(drawn, folder, price);
    report(sections);
    if (price)
      console.log(
        describePrices(
          findPrices(
            sections.flatMap((it) => it.files),
            sections.flatMap((it) => it.tried),
          ),
        ),
      );
  } finally {
    await remove();
  }
}

async function tryAll(drawn: readonly Drawn[], folder: string, isPriced: boolean): Promise<Section[]> {
  const all = drawn.flatMap((it) => it.places);
  const copy = makeCopy(folder, all);
  process.chdir(folder);
  const tests = await startWarmTests(folder);
  const stop = owe(tests.stop);
  const sections: Section[] = [];
  try {
    await withProgress(all.length, 'changes', async (progress) => {
      for (const { feature, places } of drawn) {
        const files = await observe(copy, tests, feature.tests, isPriced);
        const tried: Tried[] = [];
        for (const place of places) {
          const change = { number: all.indexOf(place) + 1, isTopLevel: place.isTopLevel };
          const { noticedBy, reason } = await tryChange(copy, tests, change, files, isPriced);
          tried.push({ description: place.description, noticedBy });
          const found = noticedBy.length > 0 ? 'noticed' : 'NOT NOTICED';
          process.stderr.write(`${found}: ${place.description} (${reason})\n`);
          progress.advance();
        }
        sections.push({ name: feature.name, tried, files });
      }
    });
  } finally {
    await stop();
  }
  return sections;
}

function report(sections: readonly Section[]): void {
  const all = { name: 'all', tried: sections.flatMap(({ tried }) => tried) };
  const countNoticed = (tried: readonly Tried[]) => tried.filter(({ noticedBy }) => noticedBy.length > 0).length;
  const rows = [...sections, all].map(({ name, tried }) => {
    const noticed = countNoticed(tried);
    return [name, String(tried.length), String(noticed), percent(noticed / tried.length, 0)];
  });
  console.log(textTable([{ title: 'feature' }, ...figureColumns('changes', 'noticed', 'share')], [rows]));
  if (countNoticed(all.tried) / all.tried.length < requiredShare) process.exitCode = 1;
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
