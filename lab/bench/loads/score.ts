/**
 * Measures the CPU time of `processReading`, in one process with the last accepted score. With `--before`, also with the
 * score of another checkout, e.g. of a release. With `--accept`, makes the score of this checkout the accepted one.
 */
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { textTable } from '../../../packages/tools/terminal/table.js';
import { acceptedScore, bundleScore, raceScores } from '../../../testkit/score-race/score-race.js';
import { figureColumns } from '../../figures.js';
import { positive } from '../../options.js';
import { describeMachine, loadLine } from '../support/machine.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

export const score = new Command('score')
  .description('CPU time of the score of a reading, compared with the last accepted score in one process.')
  .option('--slices <number>', 'measured slices of 50 readings of each score', positive, 1_200)
  .option('--before <folder>', 'also measure this other checkout')
  .option('--accept', 'write the score of this checkout to generated/accepted-score.mjs', false)
  .action(bench);

async function bench({ slices, before, accept }: { slices: number; before?: string; accept: boolean }): Promise<void> {
  if (accept) return bundleScore(root, acceptedScore);
  const scores = { 'this checkout': root, 'accepted score': acceptedScore, ...(before !== undefined && { before }) };
  const paces = await raceScores(Object.values(scores), slices);
  const [own] = paces;
  const rows = Object.keys(scores).map((name, index) => {
    const { quartile = NaN, mean = NaN } = paces[index] ?? {};
    const ratios = [(own?.quartile ?? NaN) / quartile, (own?.mean ?? NaN) / mean].map((it) => it.toFixed(3));
    return [name, quartile.toFixed(1), mean.toFixed(1), ...ratios];
  });
  const titles = ['lower quartile, µs', 'mean, µs', 'this ÷ it, lower quartile', 'this ÷ it, mean'];
  console.log(textTable([{ title: 'score' }, ...figureColumns(...titles)], [rows]));
  console.log(`CPU time of a reading in ${slices} alternating slices. ${loadLine(describeMachine())}.`);
}
