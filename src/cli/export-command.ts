import { Command, Option } from 'commander';
import type { ExportOptions } from './export.js';
import { keyOption, urlOption } from './service-options.js';

/** Creates the `export` command. */
export function exportCommand(): Command {
  return new Command('export')
    .description('download stored readings from a running service, and draw them')
    .option('--session <id>', 'only readings of this session (default: the whole account)')
    .option('--subject <id>', 'only readings of this person')
    .addOption(new Option('--format <format>', 'format of the rows').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--cursor <cursor>', 'only rows after the row with this cursor')
    .option('--out <file>', 'file, which is replaced when the export is complete (default: standard output)')
    .option('--resume', 'continue an interrupted export to --out', false)
    .option(
      '--plot <svg>',
      'save heart rate, score, states and topics of --session or --subject over time, as an image',
    )
    .addOption(urlOption())
    .addOption(keyOption())
    .action(async (options: ExportOptions) => (await import('./export.js')).exportReadings(options));
}
