import { test as base } from 'vitest';
import { startReceiver } from './receiver.js';
import { startDelivering, startTestService } from './service.js';
import { storyEnv } from './story.js';
import { temporaryDatabase } from './temporary-database.js';
import { temporaryFolder } from './temporary-folder.js';

export { expect, onTestFinished } from 'vitest';

/**
 * Declares a test, like `test` of Vitest. The function of the test names in its parameter what it requires, for example
 * `async ({ service, receiver }) => …`. Only what it names starts, before the function runs, and ends with the test.
 */
export const test = base
  .extend('service', () => startTestService())
  .extend('ownService', () => startTestService({}))
  .extend('storyService', () => startTestService({ env: storyEnv }))
  .extend('delivering', () => startDelivering())
  .extend('receiver', () => startReceiver())
  .extend('folder', () => temporaryFolder())
  .extend('database', () => temporaryDatabase());
