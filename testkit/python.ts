import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const limitMs = 280_000;
/** Exits with 0 if Python is new enough and finds every module. */
const check = `
import importlib.util, sys
sys.exit(sys.version_info < (3, 11) or any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))
`;

/** Modules that the tests of the Python client require. Debian: mypy, and the packages python3-*. */
export const pythonModules = ['httpx', 'pytest', 'mypy', 'build', 'hatchling'] as const;

/** Returns the first interpreter with all modules: the one in PATH, or Debian's. */
export function pythonWith(...modules: readonly string[]): string | undefined {
  return ['python3', '/usr/bin/python3'].find((it) => spawnSync(it, ['-c', check, ...modules]).status === 0);
}

/** Returns the interpreter for the tests of the Python client. Undefined if no interpreter has the modules. */
export function pythonForClient(): string | undefined {
  return pythonWith(...pythonModules);
}

/**
 * Runs the interpreter for the tests of the Python client. Returns its standard output. Rejects with all of its output.
 */
export async function runPython(args: readonly string[], cwd: string, env: Record<string, string> = {}) {
  const settings = { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', ...env };
  try {
    return (await run(pythonForClient() ?? 'python3', [...args], { cwd, env: settings, timeout: limitMs })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`python3 ${args.join(' ')}\n${stdout}\n${stderr}`, { cause: error });
  }
}
