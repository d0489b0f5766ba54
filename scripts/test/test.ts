/** `npm test`: `help` states what it runs. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import pc from 'picocolors';
import { chromiumPath, hasChromium } from '../../testkit/chromium.js';
import { type DatabaseKind, isMysqlReachable, mysqlServerUrl } from '../../testkit/databases.js';
import { pythonForClient, pythonModules } from '../../testkit/python.js';
import { hasCommands } from '../../testkit/has-commands.js';
import { isInstalled, outsideFolders } from '../../testkit/outside.js';
import { buildChanged } from '../build/build-changed.mjs';

const help = `npm test runs all checks and tests, two or three at a time. It takes no arguments.
To run some files: npx vitest run FILE …, on MySQL: TEST_DATABASE=mysql npx vitest run FILE …

Tests run on SQLite, and also on MySQL if a server responds. What some tests need is printed at the end if it is missing.

TEST_MYSQL_URL=URL        MySQL or MariaDB (default: root without password on 127.0.0.1:3306)
TEST_NAME_REQUIRED=1      a missing program is a failure. NAME: MYSQL, REDIS, BROWSER, PYTHON, PROMTOOL, CURL, OUTSIDE
TEST_OTHER_NODE=PATH      tests that depend on Node run on this Node program too
TEST_SLOW=1               slow tests run too (vitest.config.ts), and more tests and Dredd also run on MySQL
TEST_GENERATORS=1         generated clients are compiled and run
TEST_SLOWEST=N            the seconds of the slowest N files per suite are printed`;
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  console.log(help);
  process.exit(['--help', '-h'].includes(argument) ? 0 : 1);
}

/** Workers per suite. Two suites run beside each other, and many tests wait. More workers delay requests beyond their limits. */
const workers = 2;

interface Suite {
  readonly name: string;
  readonly run: () => Promise<Counts>;
}
interface Counts {
  readonly passed: number;
  readonly failed: number;
}
interface Result extends Counts {
  readonly name: string;
  readonly seconds: number;
}

const otherNode = process.env['TEST_OTHER_NODE'];
/**
 * Tests that depend on Node: processes, HTTP, streams and threads. Running the whole suite again would double the time.
 */
const nodeTests = [
  ...['start', 'shutdown', 'core-thread', 'log-output', 'keys'].map((it) => `contract-tests/process/${it}.test.ts`),
  ...['bodies', 'half-open', 'pipelines', 'slow-senders'].map((it) => `contract-tests/hostile/${it}.test.ts`),
  ...['contract-tests/http', 'contract-tests/streamEvents', 'packages/gateway', 'src/http', 'src/serve', 'src/store'],
];
const isSlowIncluded = process.env['TEST_SLOW'] === '1';
const spectralFolder = 'scripts/contract/spectral';
const missingFolders = outsideFolders.filter((it) => !isInstalled(it));
const hasMysql = await isMysqlReachable();
const databases: DatabaseKind[] = hasMysql ? ['sqlite', 'mysql'] : ['sqlite'];
/** What some tests need: the variable that requires it, whether it is there, and what is printed without it. */
const needs: ReadonlyArray<readonly [variable: string, isThere: boolean, hint: string]> = [
  ['BROWSER', hasChromium(), `Browser tests did not run: ${chromiumPath} is missing. Install Chromium.`],
  [
    'PYTHON',
    pythonForClient() !== undefined,
    `Tests of the Python client did not run: they require Python 3.11 with ${pythonModules.join(', ')}.`,
  ],
  ['OUTSIDE', missingFolders.length === 0, `Not run: ${missingFolders.join(', ')}. Run npm run install:outside first.`],
  ['CURL', hasCommands('curl', 'jq'), 'Commands of the guides did not run: curl or jq is missing. Install both.'],
  [
    'REDIS',
    hasCommands('redis-server'),
    'Tests of shared limits did not run: redis-server is missing. Install Redis 7.',
  ],
  ['MOSQUITTO', hasCommands('mosquitto'), 'Tests of MQTT did not run: mosquitto is missing. Install it.'],
  [
    'PROMTOOL',
    hasCommands('promtool'),
    'Tests of alert rules did not run: promtool is missing. Install the package prometheus.',
  ],
  [
    'MYSQL',
    hasMysql,
    `MySQL was not covered: no server responds at ${new URL(mysqlServerUrl).host}. Start one, or set TEST_MYSQL_URL.`,
  ],
];
/** Commands of node_modules that pass or fail as a whole. The longest are first. */
const checks: Suite[] = [
  check('code: types, lint and layers', 'tsx', ['scripts/test/check-code.ts']),
  check('code: format', 'oxfmt', ['--check']),
  check('guides say what the contract says', 'tsx', ['scripts/generate/fill-guides.ts', '--check']),
  check('generated files are current', 'tsx', ['scripts/generate/generate.ts', '--check']),
  check('code: cycles', 'tsx', ['scripts/build/cycles.mjs']),
  check('code: size below the cap', 'tsx', ['scripts/size.ts', '--cap']),
  ...(missingFolders.includes(spectralFolder)
    ? []
    : [
        check('contract: spectral', join('..', '..', spectralFolder, 'node_modules', '.bin', 'spectral'), [
          ...['lint', 'openapi.yaml', '--ruleset', `${spectralFolder}/.spectral.yaml`, '--fail-severity=hint'],
        ]),
      ]),
  check('contract: redocly', 'redocly', ['lint', 'openapi.yaml']),
];
/** Each database in two parts, because a suite that takes longer than the rest leaves the other runner idle at the end. */
const onDatabase = (kind: DatabaseKind): Suite[] =>
  ['1/2', '2/2'].map((part) => ({
    name: `tests on ${kind}, part ${part}`,
    run: () => vitest({ TEST_DATABASE: kind }, [`--shard=${part}`]),
  }));
/**
 * The longest suites are first, so that short ones keep the second core busy until the end. The check of the code is
 * before them, because it needs no build, and runs beside the build.
 */
const queue: Suite[] = [
  ...checks.slice(0, 1),
  ...databases.flatMap(onDatabase),
  ...(otherNode ? [{ name: 'tests on another Node', run: () => vitest(pathWith(otherNode), nodeTests) }] : []),
];
/**
 * Suites beside the others: Dredd waits for the service in four fifths of its time, and the tests leave a sixth of the cores
 * idle.
 */
const beside: Suite[] = [
  ...databases
    .filter((kind) => kind === 'sqlite' || isSlowIncluded)
    .map((kind) => ({ name: `dredd on ${kind}`, run: () => dredd(kind) })),
  ...(process.env['TEST_GENERATORS'] === '1'
    ? [check('generated clients', 'tsx', ['scripts/contract/sdk.ts', 'openapi-fetch', 'hey-api'])]
    : []),
  ...checks.slice(1),
];
const results: Result[] = [];

// Two suites at a time, because one alone leaves a core idle whenever it waits.
const first = run(queue);
buildChanged('program', 'documentation');
process.env['TEST_BUILT'] = '1';
await Promise.all([first, run(queue), run(beside)]);
process.exitCode = report();

/** Runs suites of a queue, one after another, until the queue is empty. */
async function run(queue: Suite[]): Promise<void> {
  for (let suite = queue.shift(); suite; suite = queue.shift()) {
    const { name, run } = suite;
    const startedAtMs = Date.now();
    const result = { name, ...(await run()), seconds: Math.round((Date.now() - startedAtMs) / 1000) };
    print(result);
    results.push(result);
  }
}

function print({ name, passed, failed, seconds }: Result): void {
  const mark = failed === 0 ? pc.green('✓') : pc.red('✗');
  console.log(`${mark} ${name.padEnd(33)} ${String(passed).padStart(4)} passed ${failed} failed  ${seconds} s`);
}

/** Prints the suites again, after the output of all of them. */
function report(): number {
  console.log();
  results.forEach(print);
  const sum = (pick: (counts: Counts) => number) => results.reduce((total, it) => total + pick(it), 0);
  const absent = needs.filter(([, isThere]) => !isThere);
  const missing = absent.filter(([variable]) => process.env[`TEST_${variable}_REQUIRED`] === '1').length;
  for (const [, , hint] of absent) console.log(hint);
  const failed = sum((it) => it.failed) + missing;
  console.log(`${sum((it) => it.passed)} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function check(name: string, command: string, args: readonly string[]): Suite {
  const run = async () => {
    const { code, stdout, stderr } = await execute(command, args, { isShown: false });
    if (code === 0) return { passed: 1, failed: 0 };
    process.stdout.write(stdout + stderr);
    return { passed: 0, failed: 1 };
  };
  return { name, run };
}

/** Returns a PATH with this Node program first. The commands of node_modules use the first one. */
function pathWith(node: string): Record<string, string> {
  return { PATH: [dirname(node), process.env['PATH']].join(delimiter) };
}

async function vitest(env: Record<string, string>, files: readonly string[] = []): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-report-'));
  const report = join(folder, 'counts.json');
  try {
    const args = ['run', '--reporter=./scripts/test/progress.ts', `--maxWorkers=${workers}`, ...files];
    const { code } = await execute('vitest', args, { env: { ...env, TEST_REPORT: report } });
    const counts: Counts = JSON.parse(await readFile(report, 'utf8').catch(() => '{"passed":0,"failed":0}'));
    // An error outside of a test also fails the stage, e.g. on import, or an unhandled rejection.
    return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function dredd(database: DatabaseKind): Promise<Counts> {
  const { code, stdout, stderr } = await execute(
    'tsx',
    [
      // Suppresses the deprecation warnings of Dredd's logger.
      '--disable-warning=Warning',
      '--disable-warning=DEP0060',
      'scripts/contract/dredd.ts',
      database,
    ],
    { isShown: false },
  );
  const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
  const counts = { passed: Number(passed), failed: Number(failed) };
  if (code !== 0) process.stdout.write(stdout + stderr);
  return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

interface Execution {
  readonly env?: Record<string, string>;
  /** Whether to forward the output while the command runs. Default true. */
  readonly isShown?: boolean;
}

/** Runs a command of node_modules. */
function execute(
  command: string,
  args: readonly string[],
  { env, isShown = true }: Execution = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(join('node_modules', '.bin', command), args, {
      // Passes the color setting on, because commands behind a pipe cannot detect a terminal.
      env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (text) => {
        output[name] += text;
        if (isShown) process[name].write(text);
      });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
}
