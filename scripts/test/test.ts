/**
 * `npm test`: runs all checks in order. Tests run on SQLite, and also on MySQL if a server is reachable
 * (TEST_MYSQL_URL, default: root without password on 127.0.0.1:3306). Tests of shared limits require redis-server.
 * Browser tests require Chromium. Tests of the Python client require Python with some modules. Tests of alert rules
 * require promtool. Tests with SDKs of others require `npm run install:outside`. With TEST_MYSQL_REQUIRED=1,
 * TEST_REDIS_REQUIRED=1, TEST_BROWSER_REQUIRED=1, TEST_PYTHON_REQUIRED=1, TEST_PROMTOOL_REQUIRED=1 and
 * TEST_OUTSIDE_REQUIRED=1, a missing program is a failure. With TEST_OTHER_NODE, the path of a Node program, tests that
 * depend on Node run on it too. With TEST_SLOW=1, slow tests run too (`vitest.config.ts`), and Dredd also runs on MySQL.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import pc from 'picocolors';
import { chromiumPath, hasChromium } from '../../testkit/chromium.js';
import { type DatabaseKind, isMysqlReachable, mysqlServerUrl } from '../../testkit/databases.js';
import { pythonForClient, pythonModules } from '../../testkit/python.js';
import { hasPromtool } from '../../testkit/has-promtool.js';
import { hasRedisServer } from '../../testkit/has-redis-server.js';
import { isInstalled, outsideFolders } from '../../testkit/outside.js';

const slowestFiles = 12;
const checksAtOnce = availableParallelism();

/** A command of node_modules that passes or fails as a whole. */
interface Check {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}
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
  ...['contract-tests/http', 'contract-tests/streamEvents', 'src/http', 'src/serve', 'src/store'],
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
  ['REDIS', hasRedisServer(), 'Tests of shared limits did not run: redis-server is missing. Install Redis 7.'],
  ['PROMTOOL', hasPromtool(), 'Tests of alert rules did not run: promtool is missing. Install the package prometheus.'],
  [
    'MYSQL',
    hasMysql,
    `MySQL was not covered: no server responds at ${new URL(mysqlServerUrl).host}. Start one, or set TEST_MYSQL_URL.`,
  ],
];
const checks: Check[] = [
  { name: 'generated files are current', command: 'tsx', args: ['scripts/generate/generate.ts', '--check'] },
  { name: 'guides say what the contract says', command: 'tsx', args: ['scripts/generate/fill-guides.ts', '--check'] },
  { name: 'code: format', command: 'prettier', args: ['--check', '--log-level=warn', '.'] },
  { name: 'code: lint and layers', command: 'eslint', args: ['--max-warnings=0', '--ignore-pattern', 'lab', '.'] },
  { name: 'code: cycles', command: 'tsx', args: ['scripts/build/cycles.mjs'] },
  { name: 'code: types', command: 'tsc', args: [] },
  ...outsideFolders
    .filter((it) => it !== spectralFolder && isInstalled(it))
    .map((it) => ({ name: `${it}: types`, command: 'tsc', args: ['-p', it] })),
  { name: 'docs: types', command: 'tsc', args: ['-p', 'packages/docs'] },
  { name: 'dashboard: types', command: 'tsc', args: ['-p', 'packages/dashboard'] },
  ...(missingFolders.includes(spectralFolder)
    ? []
    : [
        {
          name: 'contract: spectral',
          command: join('..', '..', spectralFolder, 'node_modules', '.bin', 'spectral'),
          args: ['lint', 'openapi.yaml', '--ruleset', `${spectralFolder}/.spectral.yaml`, '--fail-severity=hint'],
        },
      ]),
  { name: 'contract: redocly', command: 'redocly', args: ['lint', 'openapi.yaml'] },
];
const suites: Suite[] = [
  ...databases.flatMap((database) => [
    { name: `tests on ${database}`, run: () => vitest({ TEST_DATABASE: database }) },
    ...(database === 'sqlite' || isSlowIncluded ? [{ name: `dredd on ${database}`, run: () => dredd(database) }] : []),
  ]),
  ...(otherNode ? [{ name: 'tests on another Node', run: () => vitest(pathWith(otherNode), nodeTests) }] : []),
];

const results = await runTogether(checks);
for (const { name, run } of suites) {
  printTitle(name);
  results.push(await timed(name, run));
}
process.exitCode = report();

/** Runs as many checks at the same time as there are cores. Each prints its output when it has ended. */
async function runTogether(all: readonly Check[]): Promise<Result[]> {
  const waiting = [...all.entries()];
  const done: Result[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, it] = next;
      done[index] = await timed(it.name, () => check(it));
    }
  };
  await Promise.all(Array.from({ length: checksAtOnce }, work));
  return done;
}

async function timed(name: string, run: () => Promise<Counts>): Promise<Result> {
  const startedAtMs = Date.now();
  return { name, ...(await run()), seconds: Math.round((Date.now() - startedAtMs) / 1000) };
}

function printTitle(name: string): void {
  console.log(pc.bold(`\n── ${name}`));
}

function report(): number {
  console.log();
  const width = Math.max(...results.map(({ name }) => name.length));
  for (const { name, passed, failed, seconds } of results) {
    const mark = failed === 0 ? pc.green('✓') : pc.red('✗');
    console.log(`${mark} ${name.padEnd(width)} ${String(passed).padStart(4)} passed ${failed} failed  ${seconds} s`);
  }
  const sum = (pick: (counts: Counts) => number) => results.reduce((total, it) => total + pick(it), 0);
  const absent = needs.filter(([, isThere]) => !isThere);
  const missing = absent.filter(([variable]) => process.env[`TEST_${variable}_REQUIRED`] === '1').length;
  for (const [, , hint] of absent) console.log(hint);
  const failed = sum((it) => it.failed) + missing;
  console.log(`${sum((it) => it.passed)} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

async function check({ name, command, args }: Check): Promise<Counts> {
  const { code, stdout, stderr } = await execute(command, args, { isShown: false });
  printTitle(name);
  process.stdout.write(stdout + stderr);
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/** Returns a PATH with this Node program first. The commands of node_modules use the first one. */
function pathWith(node: string): Record<string, string> {
  return { PATH: [dirname(node), process.env['PATH']].join(delimiter) };
}

async function vitest(env: Record<string, string>, files: readonly string[] = []): Promise<Counts> {
  const folder = await mkdtemp(join(tmpdir(), 'state-service-report-'));
  const file = join(folder, 'vitest.json');
  try {
    const args = ['run', '--reporter=dot', '--reporter=json', `--outputFile.json=${file}`, ...files];
    const { code } = await execute('vitest', args, { env });
    const report = JSON.parse(await readFile(file, 'utf8').catch(() => '{}'));
    printSlowest(report.testResults ?? []);
    const counts = { passed: report.numPassedTests ?? 0, failed: report.numFailedTests ?? 0 };
    // An error outside of a test also fails the stage, e.g. on import, or an unhandled rejection.
    return code === 0 || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface TestFile {
  readonly name: string;
  /** Epoch ms. */
  readonly startTime: number;
  readonly endTime: number;
}

function printSlowest(files: readonly TestFile[]): void {
  const secondsOf = ({ startTime, endTime }: TestFile) => Math.round((endTime - startTime) / 1000);
  const slowest = [...files].sort((a, b) => secondsOf(b) - secondsOf(a)).slice(0, slowestFiles);
  const lines = slowest.map((file) => `${String(secondsOf(file)).padStart(5)} s  ${relative('.', file.name)}`);
  console.log(['\nSlowest files:', ...lines].join('\n'));
}

async function dredd(database: DatabaseKind): Promise<Counts> {
  const { code, stdout } = await execute('tsx', [
    // Suppresses the deprecation warnings of Dredd's logger.
    '--disable-warning=Warning',
    '--disable-warning=DEP0060',
    'scripts/contract/dredd.ts',
    database,
  ]);
  const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed$/m.exec(stdout) ?? [];
  const counts = { passed: Number(passed), failed: Number(failed) };
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
