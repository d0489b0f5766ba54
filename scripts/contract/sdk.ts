/**
 * Generates clients from the contract with common generators, compiles each client under `strict` and runs the
 * journeys that every client passes against the built service.
 *
 * Installs the generators into a temporary folder, because together they are larger than all dependencies of the
 * project. Usage: `npm run contract -- sdk [name …]`, by default all. Exits with 1 when a client does not compile or run.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import pc from 'picocolors';
import { createDriver } from '../../testkit/journeys/in-process.js';
import { readJourneys, runJourney, type World } from '../../testkit/journeys/journey.js';
import { createKeyOf, type ServiceProgram, startServiceProgram } from '../../testkit/program.js';
import { type Generator, generators } from './sdk/generators.js';

interface Service {
  readonly url: string;
  readonly key: string;
}

const run = promisify(execFile);
const journeyLimitMs = 60_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const compilerOptions = {
  strict: true,
  noEmit: true,
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'ESNext',
  moduleResolution: 'bundler',
  skipLibCheck: true,
  resolveJsonModule: true,
  types: [],
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !generators.some((it) => it.name === name));
if (unknown.length > 0) {
  console.error(`Pass none for all, or any of: ${generators.map((it) => it.name).join(', ')}`);
  process.exit(unknown.includes('--help') ? 0 : 1);
}
const wanted = generators.filter(({ name }) => names.length === 0 || names.includes(name));
const folder = await mkdtemp(join(tmpdir(), 'sdk-check-'));
const database = `sqlite:${join(folder, 'state.db')}`;
let server: ServiceProgram | undefined;
try {
  const key = await createKeyOf(database, 'sdk-check');
  server = await startServiceProgram({ DATABASE_URL: database, WEBHOOK_ALLOW_LOOPBACK: '1' });
  const { url } = server;
  for (const generator of wanted) await check(generator, { url, key });
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Checks one generator and prints a line. If the check fails, the other generators are still checked. */
async function check(generator: Generator, service: Service): Promise<void> {
  const steps: string[] = [];
  const name = generator.name.padEnd(24);
  try {
    const place = join(folder, generator.name);
    await prepare(generator, place, service);
    const installed = await sizeOf(join(place, 'node_modules'));
    for (const [command = '', ...args] of generator.commands)
      await run(join(place, 'node_modules', '.bin', command), args, { cwd: place });
    steps.push('generated');
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', place]);
    steps.push('compiled');
    const client = await bundle(place, generator.name);
    steps.push(`${await runJourneys(client, generator.name, service)} journeys passed`);
    const [generated, bundled] = [await sizeOf(join(place, 'generated')), await sizeOf(client)];
    console.log(
      `${pc.green('✓')} ${name} ${steps.join(', ')}; generated ${kilobytes(generated)}, bundled ` +
        `${kilobytes(bundled)}, generator ${Math.round(installed / 1e6)} MB`,
    );
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    console.log(`${pc.red('✗')} ${name} ${steps.join(', ')}\n${stdout}${stderr || message}`);
    process.exitCode = 1;
  }
}

/** Runs the journeys of every client whose calls this one has. Returns their number. */
async function runJourneys(client: string, name: string, { url, key }: Service): Promise<number> {
  const { connect } = await import(pathToFileURL(client).href);
  const calls: object = connect({ baseUrl: url, key });
  const hasCall = (call = '') => (call.split('.')[0] ?? '') in calls;
  const journeys = readJourneys().filter((it) => it.isGenerated && it.steps.every(({ call }) => hasCall(call)));
  const absent = () => Promise.reject(new Error('these journeys have no faults and no deliveries'));
  const world: World = {
    ...{ baseUrl: url, key, receiver: `http://127.0.0.1:9/${name}`, now: () => new Date().toISOString() },
    ...{ inject: absent, deliveries: absent },
  };
  for (const journey of journeys) {
    const passing = runJourney(journey, createDriver(connect), world).then(() => 'passed', String);
    const outcome = await Promise.race([passing, sleep(journeyLimitMs, 'timed out', { ref: false })]);
    if (outcome !== 'passed') throw new Error(`${journey.name}: ${outcome}`);
  }
  return journeys.length;
}

/** Creates a project with the adapter, as a user of the generator would. */
async function prepare(generator: Generator, place: string, { url }: Service): Promise<void> {
  await mkdir(place);
  const files = {
    'package.json': JSON.stringify({ type: 'module', private: true, dependencies: generator.packages }),
    'tsconfig.json': JSON.stringify({ compilerOptions, files: [`${generator.name}.ts`] }),
    ...generator.files?.(url),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text);
  await cp(join(root, 'scripts', 'contract', 'sdk', 'adapters'), place, { recursive: true });
  await cp(join(root, 'generated', 'openapi.json'), join(place, 'openapi.json'));
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: place });
}

async function bundle(place: string, name: string): Promise<string> {
  const outfile = join(place, 'bundled', `${name}.mjs`);
  await build({
    entryPoints: [join(place, `${name}.ts`)],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    // Dependencies in CommonJS call require.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path);
  if (!found.isDirectory()) return found.size;
  const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter((it) => it.isFile());
  const sizes = await Promise.all(files.map(async (it) => (await stat(join(it.parentPath, it.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}
