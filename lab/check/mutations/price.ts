import { textTable } from '../../../packages/tools/terminal/table.js';
import { figureColumns } from '../../figures.js';
import type { Place } from './copy.js';
import type { TestFile, Verdict } from './trials.js';

/** A change that was tried with every test file, and the files that noticed it. */
export interface Tried extends Pick<Place, 'description'>, Pick<Verdict, 'noticedBy'> {}

/** What the tests of a file cost and notice. */
export interface Price {
  readonly file: string;
  readonly cpuMs: number;
  readonly noticed: number;
  /** The changes that no other file notices. */
  readonly alone: readonly string[];
}

/** Returns the prices of the files. The first one costs most of those that notice least alone. */
export function findPrices(files: ReadonlyArray<Pick<TestFile, 'file' | 'cpuMs'>>, tried: readonly Tried[]): Price[] {
  const cpuOf = new Map(files.map(({ file, cpuMs }) => [file, cpuMs]));
  const prices = [...cpuOf].map(([file, cpuMs]) => {
    const mine = tried.filter(({ noticedBy }) => noticedBy.includes(file));
    const alone = mine.filter(({ noticedBy }) => noticedBy.length === 1).map(({ description }) => description);
    return { file, cpuMs, noticed: mine.length, alone };
  });
  return prices.sort((a, b) => a.alone.length - b.alone.length || b.cpuMs - a.cpuMs);
}

/** Returns the prices as a table, and the changes that one file notices alone. */
export function describePrices(prices: readonly Price[]): string {
  const rows = prices.map(({ file, cpuMs, noticed, alone }) => [
    file,
    (cpuMs / 1000).toFixed(1),
    String(noticed),
    String(alone.length),
  ]);
  const table = textTable([{ title: 'test file' }, ...figureColumns('CPU s', 'noticed', 'alone')], [rows]);
  const lists = prices.flatMap(({ file, alone }) =>
    alone.length === 0 ? [] : [`Only ${file} notices:`, ...alone.map((it) => `  ${it}`)],
  );
  return [table, ...lists].join('\n');
}
