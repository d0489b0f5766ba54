/**
 * Measures the CPU time of one reading in the domain code, as bundled for production, after warm-up. Includes no HTTP
 * and no database.
 */
import { Command } from 'commander';
import { enums } from '../../generated/spec.js';
import type { Baseline } from '../../src/domain/baseline.js';
import { advanceSession, type Session } from '../../src/domain/session.js';
import type { Reading } from '../../src/domain/signals.js';
import { toStateReading } from '../../src/domain/state-reading.js';
import { positive } from '../terminal/options.js';
import { seededRandom } from '../../src/terminal/scenes.js';
import { textTable } from '../../src/terminal/table.js';
import { quantile } from '../../src/terminal/quantile.js';

const warmUp = 50_000;
const runs = 9;
const seed = 3;
const startMs = Date.UTC(2026, 0, 5, 9);

/** Input data. Generated before the measurement starts. */
const full = drawReadings(({ heart_rate, sdnn, tone, expression, sentiment }) => ({
  heart_rate,
  sdnn,
  tone,
  expression,
  sentiment,
}));
const heartOnly = drawReadings(({ heart_rate }) => ({ heart_rate }));

new Command('bench:domain')
  .description('CPU time of one reading in the domain code: score, baseline, reason and the response body.')
  .option('--readings <number>', 'readings per run', positive, 50_000)
  .action(({ readings }: { readings: number }) => {
    const rows = [
      ['every signal', full],
      ['heart rate only', heartOnly],
    ] as const;
    console.log(
      textTable(
        [
          { title: 'reading with' },
          { title: 'µs, median', align: 'right' },
          { title: 'min', align: 'right' },
          { title: 'max', align: 'right' },
        ],
        [rows.map(([name, drawn]) => [name, ...measure(drawn, readings)])],
      ),
    );
    console.log(`\nCPU time per reading, ${runs} runs of ${readings} readings after ${warmUp} warm-up readings.`);
  })
  .parse();

function measure(drawn: readonly Omit<Reading, 'atMs'>[], readings: number): string[] {
  stream(drawn, warmUp);
  const figures = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    stream(drawn, readings);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / readings;
  }).sort((a, b) => a - b);
  return [quantile(figures, 0.5), figures[0] ?? 0, figures.at(-1) ?? 0].map((micros) => micros.toFixed(1));
}

/** Processes one session of a known subject with a reading every two seconds. Updates the baseline. */
function stream(drawn: readonly Omit<Reading, 'atMs'>[], readings: number): void {
  let session: Session | undefined;
  let baseline: Baseline | undefined;
  for (let index = 0; index < readings; index += 1) {
    const reading = { ...drawn[index % drawn.length], atMs: startMs + index * 2_000, subjectId: 'somebody' };
    const step = advanceSession(session, reading, baseline);
    session = step.session;
    baseline = step.baseline;
    toStateReading('session', step.computed);
  }
}

function drawReadings<T>(
  pick: (all: Required<Pick<Reading, 'heart_rate' | 'sdnn' | 'tone' | 'expression' | 'sentiment'>>) => T,
): T[] {
  const random = seededRandom(seed);
  const oneOf = <L>(labels: readonly L[]) => labels[Math.floor(random() * labels.length)] as L;
  return Array.from({ length: 1_000 }, () =>
    pick({
      heart_rate: 60 + 40 * random(),
      sdnn: 20 + 60 * random(),
      tone: oneOf(enums.Tone),
      expression: oneOf(enums.Expression),
      sentiment: 2 * random() - 1,
    }),
  );
}
