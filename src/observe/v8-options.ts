import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits } from 'node:worker_threads';

/** Limits of the core's thread. The young generation consists of three semi-spaces. */
export const threadLimits: ResourceLimits = { maxOldGenerationSizeMb: 1024, maxYoungGenerationSizeMb: 24 };

/**
 * Sets the options of V8 that may change in a running process. Must run before any other module is loaded. Options of
 * garbage collection may not change: V8 ends the process (docs/decisions/003-v8-options.md).
 */
export function setV8Options(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
