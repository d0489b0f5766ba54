import type { TestService } from '../../../testkit/service.js';
import { runHere } from '../../../testkit/command-line.js';
import type { Ended } from '../../../testkit/process.js';

/** The service that a command calls, and the key that it uses. */
export type Target = Pick<TestService, 'url' | 'key'>;

/** Runs `export` in this process. */
export function runExport({ url, key }: Target, ...args: string[]): Promise<Ended> {
  return runHere(['tools', 'export', '--url', url, ...args], { SERVICE_KEY: key });
}
