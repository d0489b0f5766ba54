/**
 * Runs Dredd for each documented pair of operation and status, against the built service on a temporary database.
 * Usage: `npm run contract -- dredd [sqlite|mysql]`. Exits with 1 when a pair failed, was skipped or did not run.
 */
import { runDredd, type Verdict } from '../../contract-tests/dredd/run-dredd.js';
import { bringAboutIn } from '../../contract-tests/dredd/scenarios.js';
import { openWorld } from '../../contract-tests/dredd/world.js';
import { type DatabaseKind, isMysqlReachable, mysqlServerUrl } from '../../testkit/databases.js';
import contract from '../../generated/openapi.json' with { type: 'json' };
import { buildChanged } from '../build/build-changed.mjs';

/** Ends a run that hangs. Long, because other suites may use the machine. */
const timeLimitMs = 900_000;

try {
  process.exitCode = await main(readKind(process.argv[2] ?? 'sqlite'));
} catch (error) {
  console.error(`dredd: ${(error as Error).message}`);
  process.exitCode = 1;
}
// Ends the process, because Dredd leaves handles open.
process.exit();

async function main(kind: DatabaseKind): Promise<number> {
  if (kind === 'mysql' && !(await isMysqlReachable()))
    throw new Error(`no MySQL or MariaDB at ${mysqlServerUrl}: start one or set TEST_MYSQL_URL`);
  buildChanged('program');
  const opening = openWorld(kind);
  const running = opening.then((world) => runDredd(contract, world.service.url, bringAboutIn(world)));
  try {
    const verdicts = await Promise.race([running, interrupted()]);
    return report(kind, verdicts, (await opening).service.stderr());
  } finally {
    // Waits for the start even after an interruption, because only a started service can be closed.
    await (await opening).close();
  }
}

/** Rejects on timeout or on a signal, so that all started resources are closed. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`timeout after ${timeLimitMs / 1000} seconds`)), timeLimitMs);
    // Uses `on` instead of `once`. Without a listener, tsx would end the process before the cleanup.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => reject(new Error(signal)));
  });
}

/** Prints one line per pair, the failed ones last, where a shortened log shows them. Returns the exit code. */
function report(kind: DatabaseKind, verdicts: readonly Verdict[], log: string): number {
  const width = Math.max(...verdicts.map(({ pair }) => pair.length));
  const failed = verdicts.filter(({ isPassed }) => !isPassed);
  console.log(`Dredd, ${kind}\n`);
  const passed = verdicts.filter(({ isPassed }) => isPassed);
  for (const { pair, isPassed, message } of [...passed, ...failed])
    console.log(`  ${pair.padEnd(width)}  ${isPassed ? 'pass' : `FAIL  ${message}`}`);
  if (failed.length > 0) console.log(`\nLast log lines of the service:\n${shortened(log)}`);
  console.log(`\n${passed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

/** Returns the log with shortened stack traces. */
function shortened(log: string): string {
  return log.replaceAll(/^(.{400}).+$/gm, '$1…');
}

function readKind(text: string): DatabaseKind {
  if (text !== 'sqlite' && text !== 'mysql') throw new Error(`unknown database ${text}: use sqlite or mysql`);
  return text;
}
