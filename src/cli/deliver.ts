import type { Closable } from '../closing.js';
import type { Config } from '../config.js';
import { startDelivery } from '../core/deliver.js';
import { createLog, standardError } from '../log.js';
import { closeOnSignal } from './close-on-signal.js';

/** Delivers until SIGTERM or SIGINT. */
export async function deliver(config: Config, tracing: Closable | undefined): Promise<void> {
  const log = createLog(config.logLevel, standardError());
  const worker = await startDelivery({ config, log });
  console.log('Delivering webhooks');
  closeOnSignal(worker, tracing);
}
