/**
 * Measures the CPU time of one reading in the domain code and of the topics of one turn, as bundled for production, after
 * warm-up. Includes no HTTP and no database.
 */
import { Command } from 'commander';
import { startProgram } from '../../../testkit/program.js';
import { positive } from '../../options.js';
import { bundle } from '../support/service.js';

export const domain = new Command('domain')
  .description('CPU time of one reading in the domain code, and of the topics of turns of up to 4,000 characters.')
  .option('--readings <number>', 'readings per run', positive, 50_000)
  .option('--turns <number>', 'turns per text', positive, 2_000)
  .action(async ({ readings, turns }: { readings: number; turns: number }) => {
    const args = ['--expose-gc', bundle('support/domain-cost'), String(readings), String(turns)];
    const { code, stdout, stderr } = await startProgram({ args }).ended;
    if (code !== 0) throw new Error(stderr);
    process.stdout.write(stdout);
  });
