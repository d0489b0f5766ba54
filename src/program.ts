import { isMainThread, workerData } from 'node:worker_threads';
import { setV8Options } from './observe/v8-options.js';

/** The root folder, both from `src` and from `dist`. */
const root = new URL('../', import.meta.url);
const program = new URL(import.meta.url);

// All threads run this file. Each loads only the modules that it needs.
if (isMainThread) {
  setV8Options();
  const [{ runCommand }, tools, gateway] = await Promise.all([
    import('./cli/command.js'),
    import('../packages/tools/commands.js'),
    import('../packages/gateway/command.js'),
  ]);
  await runCommand({
    ...{ program, root, env: process.env },
    packages: {
      commands: (host) => [gateway.gatewayCommand(host), tools.toolsCommand(host)],
      variables: [...gateway.variableNames, ...tools.variableNames],
      serveDemo: async (...options) => (await import('../packages/tools/serve-demo.js')).serveDemo(...options),
    },
    withProgress: async (...work) => (await import('../packages/tools/terminal/progress.js')).withProgress(...work),
  });
} else if ('bytes' in workerData) {
  await (await import('./serve/post-thread.js')).runPost(workerData);
} else {
  const { runCore } = await import('./serve/thread.js');
  const { startTracing } = await import('./observe/tracing.js');
  runCore(await startTracing(process.env));
}
