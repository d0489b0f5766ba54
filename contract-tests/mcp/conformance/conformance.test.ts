import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as forward } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { listen } from '../../../testkit/listen.js';
import { startProgram } from '../../../testkit/program.js';
import { root, startTestService } from '../../../testkit/service.js';
import { expect, test } from '../../../testkit/test.js';

const suite = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

/** One check of a scenario. */
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** A check that requires a tool, prompt or resource of the suite's sample server, or that builds on such a check. */
const needsSample =
  /^(Failed|JSON-RPC error): (MCP error -32602: )?(Unknown (tool|prompt): |Resource not found: )test|Not testable|^Tool '.*' not found|^Prerequisite failed|^Expected InputRequiredResult/;

/** Bundles the suite as CommonJS, because its module imports functions that Node 20 does not have. */
async function bundleSuite(folder: string): Promise<string> {
  const outfile = join(folder, 'suite.cjs');
  const banner = { js: `const suiteUrl = ${JSON.stringify(pathToFileURL(suite).href)};` };
  const define = { 'import.meta.url': 'suiteUrl' };
  const [platform, format] = ['node', 'cjs'] as const;
  await build({ entryPoints: [suite], bundle: true, platform, format, outfile, banner, define, logLevel: 'error' });
  return outfile;
}

/** Starts a service and a proxy that adds the key, because the suite sends no key. Returns the URL for the suite. */
async function startServed(): Promise<string> {
  const proxy = createServer((request, response) => {
    const { method, url: path } = request;
    const headers = { ...request.headers, 'x-service-key': service.key };
    const sent = forward(new URL(path ?? '/', service.url), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    request.pipe(sent);
  });
  const origin = (await listen(proxy)).replace('127.0.0.1', 'localhost');
  const service = await startTestService({ env: { CORS_ORIGINS: origin } });
  return `${origin}/mcp`;
}

/** Runs the suite. Returns the failed checks of each scenario. A scenario without failed checks has an empty list. */
async function runSuite(program: string, folder: string, url: string, selection: readonly string[]) {
  const output = join(folder, selection.join(''));
  const { ended } = startProgram({ args: [program, 'server', '--url', url, '-o', output, ...selection] });
  const { stdout } = await ended;
  expect(stdout).toContain('=== SUMMARY ===');
  const scenarios = new Map<string, Check[]>();
  for (const name of await readdir(output)) {
    const [, scenario = name] = /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(name) ?? [];
    // The service does not declare the extension of tasks.
    if (scenario.startsWith('tasks-')) continue;
    const checks: Check[] = JSON.parse(await readFile(join(output, name, 'checks.json'), 'utf8'));
    scenarios.set(
      scenario,
      checks.filter(({ status }) => status === 'FAILURE'),
    );
  }
  return scenarios;
}

/** Returns the scenarios in a row of the README's table of deviations. */
async function readRow(start: string): Promise<string[]> {
  const readme = await readFile(new URL('contract-tests/mcp/conformance/README.md', root), 'utf8');
  const row = readme.split('\n').find((line) => line.startsWith(`| ${start}`)) ?? '';
  return [...row.matchAll(/`([a-z0-9-]+)`/g)].map(([, name]) => name ?? '');
}

// Runs over a hundred scenarios.
const timeoutMs = 240_000;

test(
  'the official conformance suite passes for all revisions, except the deviations in the README',
  async ({ folder }) => {
    const [program, url] = [await bundleSuite(folder), await startServed()];
    const failed = { sample: new Set<string>(), other: new Set<string>() };
    const passed = new Set<string>();
    for (const selection of [
      ['--requirements', '2026-07-28'],
      ['--requirements', '2025-11-25'],
      ['--suite', 'active', '--spec-version', '2025-06-18'],
    ])
      for (const [scenario, checks] of await runSuite(program, folder, url, selection)) {
        if (checks.length === 0) passed.add(scenario);
        else if (checks.every(({ errorMessage = '' }) => needsSample.test(errorMessage))) failed.sample.add(scenario);
        else failed.other.add(scenario);
      }
    expect([...failed.sample].sort()).toEqual((await readRow('requires the sample server')).sort());
    const others = [...(await readRow('no sessions')), ...(await readRow('no log messages'))];
    expect([...failed.other].sort()).toEqual(others.sort());
    expect([...passed]).toEqual(expect.arrayContaining(['ping', 'tools-list', 'caching', 'dns-rebinding-protection']));
  },
  timeoutMs,
);
