import type { TestService } from '../../../testkit/service.js';
import { type Ended, runCommand } from '../../../testkit/process.js';

/** The service that a command calls, and the key that it uses. */
export type Target = Pick<TestService, 'url' | 'key'>;

/** Runs `export` of the built program. */
export function runExport({ url, key }: Target, ...args: string[]): Promise<Ended> {
  return runCommand('tools export', ['--url', url, ...args], { SERVICE_KEY: key });
}
