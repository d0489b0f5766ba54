import { existsSync } from 'node:fs';
import type { Closable } from '../observe/start.js';
import { createClock } from '../config/clock.js';
import type { Config } from '../config/config.js';
import { startDelivery } from '../serve/deliver.js';
import { createLog, standardError } from '../observe/log.js';
import { version } from '../config/version.js';
import { closeOnSignal } from './close-on-signal.js';
import { noDatabase } from './with-store.js';

/** Delivers webhooks until SIGTERM or SIGINT. Logs the warnings and removes them from the array. */
export async function deliver(config: Config, warnings: string[], tracing: Closable | undefined): Promise<void> {
  const { database } = config;
  if (database.kind === 'sqlite' && !existsSync(database.file)) throw new Error(noDatabase(database.file));
  const output = standardError();
  const log = createLog(config.logLevel, output);
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
  for (const warning of warnings.splice(0)) log.warn(warning);
}
