/**
 * Runs Dredd over every documented pair of operation and status, against the built service on a database of its own.
 * `tsx scripts/dredd.ts [sqlite|mysql]`; exits with 1 when a pair failed, was skipped or was not run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runDredd, type Verdict } from '../contract-tests/dredd/run-dredd.js';
import { bringAboutIn } from '../contract-tests/dredd/scenarios.js';
import { openWorld } from '../contract-tests/dredd/world.js';
import { type DatabaseKind, isMysqlReachable, mysqlServerUrl } from '../contract-tests/support/databases.js';
import contract from '../generated/openapi.json' with { type: 'json' };

const timeLimitMs = 180_000;
const root = fileURLToPath(new URL('../', import.meta.url));

try {
  process.exitCode = await main(readKind(process.argv[2] ?? 'sqlite'));
} catch (error) {
  console.error(`dredd: ${(error as Error).message}`);
  process.exitCode = 1;
}
// What Dredd leaves open would keep the process.
process.exit();

async function main(kind: DatabaseKind): Promise<number> {
  if (kind === 'mysql' && !(await isMysqlReachable()))
    throw new Error(`no MySQL or MariaDB at ${mysqlServerUrl}: start one or set TEST_MYSQL_URL`);
  if (!existsSync(`${root}dist/main.js`))
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  const opening = openWorld(kind);
  const running = opening.then((world) => runDredd(contract, world.service.url, bringAboutIn(world)));
  try {
    const verdicts = await Promise.race([running, interrupted()]);
    return report(kind, verdicts, (await opening).service.log);
  } finally {
    // Waited for also when the interruption came first: what is open must be known before it can be closed.
    await (await opening).close();
  }
}

/** Rejects when the time is up or somebody wants an end, so that everything started is let go all the same. */
function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not done after ${timeLimitMs / 1000} seconds`)), timeLimitMs);
    // Not once: with its last listener gone tsx would end the process before anything is let go.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => reject(new Error(signal)));
  });
}

/** Prints one line a pair and the sum; returns the exit code. */
function report(kind: DatabaseKind, verdicts: readonly Verdict[], log: string): number {
  const width = Math.max(...verdicts.map(({ pair }) => pair.length));
  const failed = verdicts.filter(({ isPassed }) => !isPassed);
  console.log(`Dredd, ${kind}\n`);
  for (const { pair, isPassed, message } of verdicts)
    console.log(`  ${pair.padEnd(width)}  ${isPassed ? 'pass' : `FAIL  ${message}`}`);
  if (failed.length > 0) console.log(`\nThe service logged last:\n${shortened(log)}`);
  console.log(`\n${verdicts.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

/** A line with its stack is longer than anybody reads in a terminal. */
function shortened(log: string): string {
  return log.replaceAll(/^(.{400}).+$/gm, '$1…');
}

function readKind(text: string): DatabaseKind {
  if (text !== 'sqlite' && text !== 'mysql') throw new Error(`the database is sqlite or mysql, not ${text}`);
  return text;
}
