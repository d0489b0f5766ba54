import type { DevelopmentKey } from '../keys/development-key.js';
import { newKeyCommand } from '../keys/expired-keys.js';
import type { Closable } from '../observe/start.js';
import { createClock } from '../config/clock.js';
import { type ServiceParts, startService } from '../serve/compose.js';
import { coreOnThread } from '../serve/on-thread.js';
import { createLog, standardError } from '../observe/log.js';
import { version } from '../config/version.js';
import { closeOnSignal } from './close-on-signal.js';

/** The values that the process provides. Without `tracing`, no spans are exported. */
export type Serving = Pick<ServiceParts, 'config' | 'root'> & {
  /** The module that the core's thread runs. */
  readonly program: URL;
  readonly tracing: Closable | undefined;
  /** Warnings about the environment. Empty after they were logged. */
  readonly warnings: string[];
};

const loadTextModelsAfterMs = 2_000;

/** Serves until SIGTERM or SIGINT. Messages for people go to standard output, the structured log to standard error. */
export async function serve({ config, root, program, tracing, warnings }: Serving): Promise<void> {
  const output = standardError();
  const log = createLog(config.logLevel, output);
  const onUnexpectedExit = (error: Error) => {
    log.fatal({ err: error }, 'core thread ended unexpectedly');
    void output.close().then(() => process.exit(1));
  };
  const startCore = coreOnThread({ program, writeLog: output.write, onUnexpectedExit });
  const now = createClock(config);
  const service = await startService({ config, root, log, startCore, now, droppedLines: () => output.droppedLines });
  // Registered before the first output, because a supervisor may send a signal as soon as it reads the output.
  closeOnSignal({ running: service, delayMs: config.shutdownDelayMs, tracing, log, output });
  log.info({ version, url: service.url, database: config.database.kind }, 'started');
  console.log(`Listening on ${service.url}`);
  if (service.metricsUrl) console.log(`Metrics on ${service.metricsUrl}`);
  console.log(service.developmentKey ? welcome(service.url, service.developmentKey) : welcomeBack(service.url));
  if (config.testClockFile !== undefined) log.warn('TEST_CLOCK_FILE is set: the service uses the time in this file');
  for (const warning of [...warnings.splice(0), ...service.warnings]) log.warn(warning);
  // Later, because a start should not compete with it for the processor.
  setTimeout(() => void service.loadTextModels(), loadTextModelsAfterMs).unref();
}

function welcomeBack(url: string): string {
  return `Dashboard: ${url}/dashboard/\nDocumentation: ${url}/docs/\nTo create a key: ${newKeyCommand('NAME')}`;
}

function welcome(url: string, { key, expiresAtMs }: DevelopmentKey): string {
  const reading = `{"session_id":"first-start","timestamp":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","heart_rate":96,"tone":"tense","expression":"frowning","sentiment":-0.4}`;
  return `
The database was empty: it now has an account and a development key, which is shown only once:

  ${key}

It expires on ${new Date(expiresAtMs).toISOString().slice(0, 10)}. To create a new one: ${newKeyCommand('development')}

Open the dashboard:

  ${url}/dashboard/#key=${key}

Send a first reading:

  curl -s ${url}/v1/ingest -H 'X-Service-Key: ${key}' -H 'Content-Type: application/json' -d '${reading}'

Read on: ${url}/docs/
`;
}
