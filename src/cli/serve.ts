import { createClock } from '../config/clock.js';
import type { Config } from '../config/config.js';
import { version } from '../config/version.js';
import type { DevelopmentKey } from '../keys/development-key.js';
import { formatNewKeyCommand } from '../keys/expired-keys.js';
import { openServerLog } from '../observe/log.js';
import type { Closable } from '../observe/start.js';
import { closeOnSignal } from './close-on-signal.js';

export interface ServeOptions {
  readonly config: Config;
  /** Without it, no spans are exported. */
  readonly tracing: Closable | undefined;
  /** Returns the warnings about the environment that were not reported yet. */
  readonly takeWarnings: () => readonly string[];
}

export interface ServingApi extends ServeOptions {
  readonly root: URL;
  /** The module that the core's thread runs. */
  readonly program: URL;
}

const loadTextModelsAfterMs = 2_000;

/** Serves until SIGTERM or SIGINT. Messages for people go to standard output, the structured log to standard error. */
export async function serve({ config, root, program, tracing, takeWarnings }: ServingApi): Promise<void> {
  // Loaded here, because `deliver` requires no HTTP server.
  const [{ startService }, { startCoreOnThread: coreOnThread }, { createReadOnThread }] = await Promise.all([
    import('../serve/compose.js'),
    import('../serve/on-thread.js'),
    import('../serve/post-thread.js'),
  ]);
  const { output, log } = openServerLog(config.logLevel);
  const onUnexpectedExit = (error: Error) => {
    log.fatal({ err: error }, 'core thread ended unexpectedly');
    void output.close().then(() => process.exit(1));
  };
  const startCore =
    config.threads === 1
      ? (await import('../serve/core.js')).startCore
      : coreOnThread({ program, writeLog: output.write, onUnexpectedExit });
  const now = createClock(config);
  const readLarge = createReadOnThread(program);
  const droppedLines = () => output.droppedLines;
  const service = await startService({ config, root, log, startCore, readLarge, now, droppedLines });
  // Registered before the first output, because a supervisor may send a signal as soon as it reads the output.
  closeOnSignal({ running: service, delayMs: config.shutdownDelayMs, tracing, log, output });
  log.info({ version, url: service.url, database: config.database.kind }, 'started');
  console.log(`Listening on ${service.url}`);
  if (service.metricsUrl) console.log(`Metrics on ${service.metricsUrl}`);
  console.log(service.developmentKey ? welcome(service.url, service.developmentKey) : welcomeBack(service.url));
  if (config.testClockFile !== undefined) log.warn('TEST_CLOCK_FILE is set: the service uses the time in this file');
  for (const warning of [...takeWarnings(), ...service.warnings]) log.warn(warning);
  // Later, because a start should not compete with it for the processor.
  setTimeout(() => void service.loadTextModels(), loadTextModelsAfterMs).unref();
}

export async function runDeliveryWorker({ config, tracing, takeWarnings }: ServeOptions): Promise<void> {
  const { database } = config;
  // Loaded here, because the main thread of `serve` requires neither the database driver nor the worker.
  const [{ requireDatabase }, { startDelivery }] = await Promise.all([
    import('./with-store.js'),
    import('../serve/deliver.js'),
  ]);
  requireDatabase(database);
  const { output, log } = openServerLog(config.logLevel);
  const worker = await startDelivery({
    config,
    log,
    now: createClock(config),
    droppedLines: () => output.droppedLines,
  });
  // Registered before the first output, because a supervisor may send a signal as soon as it reads the output.
  closeOnSignal({ running: worker, tracing, log, output });
  log.info({ version, database: config.database.kind }, 'started');
  console.log('Delivering webhooks');
  if (worker.metricsUrl) console.log(`Metrics on ${worker.metricsUrl}`);
  for (const warning of takeWarnings()) log.warn(warning);
}

function welcomeBack(url: string): string {
  return `Dashboard: ${url}/dashboard/\nDocumentation: ${url}/docs/\nTo create a key: ${formatNewKeyCommand('NAME')}`;
}

function welcome(url: string, { key, expiresAtMs }: DevelopmentKey): string {
  const reading = `{"session_id":"first-start","timestamp":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","heart_rate":96,"tone":"tense","expression":"frowning","sentiment":-0.4}`;
  return `
The database was empty: it now has an account and a development key, which is shown only once:

  ${key}

It expires on ${new Date(expiresAtMs).toISOString().slice(0, 10)}. To create a new one: ${formatNewKeyCommand('development')}

Open the dashboard:

  ${url}/dashboard/#key=${key}

Send a first reading:

  curl -s ${url}/v1/ingest -H 'X-Service-Key: ${key}' -H 'Content-Type: application/json' -d '${reading}'

Read on: ${url}/docs/
`;
}
