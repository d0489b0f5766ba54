import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Pace } from './race.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** The bundle of the last accepted score. `npm run lab -- bench score --accept` writes it. */
export const acceptedScore = join(root, 'generated/accepted-score.mjs');
const banner =
  '// The last accepted score, bundled by `npm run lab -- bench score --accept`. CONTRIBUTING.md says when to renew it.';

/** Bundles `processReading` of a checkout into one file that imports nothing of the project. */
export async function bundleScore(checkout: string, outfile: string): Promise<void> {
  const contents = "export { beginProgress, processReading } from './src/readings/advance.js';";
  // The packages of this checkout, for one without its own.
  const nodePaths = [join(root, 'node_modules')];
  await bundle({ stdin: { contents, resolveDir: checkout }, nodePaths, banner: { js: banner } }, outfile);
}

/**
 * Returns the CPU time of `processReading` per reading, of the score of each checkout or bundle (`.mjs`) in the same order.
 * All of them run in one process that compiles and collects garbage like the service.
 */
export async function raceScores(scores: readonly string[], measured: number): Promise<Pace[]> {
  const folder = await mkdtemp(join(tmpdir(), 'score-race-'));
  try {
    const program = join(folder, 'race.mjs');
    await bundle({ entryPoints: [join(root, 'testkit/score-race/race.ts')] }, program);
    const bundles = await Promise.all(
      scores.map(async (score, index) => {
        if (score.endsWith('.mjs')) return score;
        const outfile = join(folder, `${index}.mjs`);
        await bundleScore(score, outfile);
        return outfile;
      }),
    );
    const options = ['--single-threaded-gc', '--max-semi-space-size=8'];
    const args = [...options, program, String(measured / 2), String(measured), ...bundles];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function bundle(options: object, outfile: string): Promise<void> {
  const fixed = { bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'warning' } as const;
  await build({ ...fixed, ...options, outfile });
}
