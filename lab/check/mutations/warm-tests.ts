import { join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { createVitest, ForksPoolWorker, type PoolWorker, type TestModule, type Vitest } from 'vitest/node';

export interface WarmTests {
  /** Returns the test files whose path contains one of the texts, relative to the folder like those of `run`. */
  find(texts: readonly string[]): Promise<string[]>;
  /** Runs a test file until its first failure. Ends its process after the limit, which counts as a failure. */
  run(file: string, limitMs: number): Promise<Outcome>;
  /** Ends the process of the tests. The next run starts a new one. */
  cool(): Promise<void>;
  stop(): Promise<void>;
}

export interface Outcome {
  /** The first failure. Absent if all tests passed. */
  readonly failure?: string;
  /** Name of the test that failed. Absent if the failure is not that of a test. */
  readonly failed?: string;
  /** Duration per test that passed, ms. */
  readonly durationsMs: ReadonlyMap<string, number>;
}

type Respond = (message: unknown) => void;

/** Starts Vitest in a folder. All runs share one process, because loading the modules takes longer than most tests. */
export async function startWarmTests(root: string): Promise<WarmTests> {
  const fork = keepFork();
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const vitest: Vitest = await createVitest(
    'test',
    {
      ...{ root, watch: true, bail: 1, maxWorkers: 1, reporters: [{}], silent: true, pool: fork },
      // Long limits, because a test that fails only on a busy machine must not count.
      ...{ testTimeout: 300_000, hookTimeout: 300_000 },
    },
    { server: { watch: null } },
    { stdout: output, stderr: output },
  );
  const find = async (texts: readonly string[]) =>
    (await vitest.globTestSpecifications([...texts])).map((it) => relative(root, it.moduleId));
  return {
    find,
    async run(file, limitMs) {
      const timer = setTimeout(() => void fork.end(), limitMs);
      const path = join(root, file);
      try {
        const { testModules, unhandledErrors } = await vitest.runTestSpecifications(
          vitest.getModuleSpecifications(path),
        );
        // Vitest returns the files of all runs.
        return readOutcome(
          testModules.filter((it) => it.moduleId === path),
          unhandledErrors,
        );
      } catch (error) {
        return { failure: String(error), durationsMs: new Map() };
      } finally {
        clearTimeout(timer);
      }
    },
    cool: () => fork.end(),
    async stop() {
      await fork.end();
      await vitest.close();
    },
  };
}

function readOutcome(modules: readonly TestModule[], errors: readonly unknown[]): Outcome {
  const tests = modules.flatMap((it) => [...it.children.allTests()]);
  const failed = tests.find((it) => it.result().state === 'failed');
  const [fault] = [...(failed?.result().errors ?? []), ...modules.flatMap((it) => it.errors()), ...errors];
  const hasPassed = modules.length > 0 && modules.every((it) => it.ok()) && fault === undefined;
  const failure = `${failed?.fullName ?? ''}: ${(fault as Error | undefined)?.message ?? 'the process ended'}`;
  return {
    ...(!hasPassed && { failure: failure.slice(0, 200) }),
    ...(failed && { failed: failed.fullName }),
    durationsMs: new Map(tests.map((it) => [it.fullName, it.diagnostic()?.duration ?? 0])),
  };
}

/** Returns a pool with one process that stays when a run ends. */
function keepFork() {
  let fork: ForksPoolWorker | undefined;
  let isStarted = false;
  let idle = Promise.resolve();
  const end = async () => {
    const ended = fork;
    fork = undefined;
    isStarted = false;
    await ended?.stop();
  };
  const createPoolWorker = (options: ConstructorParameters<typeof ForksPoolWorker>[0]): PoolWorker => {
    const listeners: Array<readonly [string, Respond]> = [];
    const respond = (type: string) => {
      for (const [event, callback] of listeners) {
        if (event === 'message') callback({ __vitest_worker_response__: true, type });
      }
    };
    return {
      name: 'warm',
      cacheFs: true,
      deserialize: (data) => data,
      async start() {
        await idle;
        if (fork) return;
        fork = new ForksPoolWorker(options);
        await fork.start();
      },
      on: (event, callback) => {
        listeners.push([event, callback]);
        fork?.on(event, callback);
      },
      off: (event, callback) => fork?.off(event, callback),
      send(message) {
        if (message.type === 'stop') return void idle.then(() => respond('stopped'));
        if (message.type === 'start' && isStarted) return void setImmediate(() => respond('started'));
        if (message.type === 'start') isStarted = true;
        const used = fork;
        if (message.type === 'run' && used) idle = finished(used);
        used?.send(message);
      },
      async stop() {
        await idle;
        for (const [event, callback] of listeners) fork?.off(event, callback);
      },
    };
  };
  return { name: 'warm', createPoolWorker, end };
}

/** Resolves when a process has run its files or has ended. */
function finished(fork: ForksPoolWorker): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      fork.off('message', read);
      fork.off('exit', stop);
      resolve();
    };
    const read = (message: { readonly type?: string }) => {
      if (message.type === 'testfileFinished') stop();
    };
    fork.on('message', read);
    fork.on('exit', stop);
  });
}
