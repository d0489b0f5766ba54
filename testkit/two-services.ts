import { onTestFinished } from 'vitest';
import { createMigratedDatabase } from './migrated-database.js';
import { client, Clock, startTestService, type TestService } from './service.js';

type Calls = Pick<TestService, 'request' | 'post' | 'ingest' | 'read'>;

export interface TwoServices {
  readonly one: TestService;
  readonly two: TestService;
  readonly clock: Clock;
  /** Functions that call each service with the key of the first one. */
  readonly calls: readonly [Calls, Calls];
}

/** Starts two services on one database with one clock. They are closed at the end of the test. */
export async function startTwoServices(env: Record<string, string> = {}): Promise<TwoServices> {
  const database = await createMigratedDatabase();
  onTestFinished(database.drop);
  const clock = new Clock();
  const options = { database, clock, env };
  const [one, two] = [await startTestService(options), await startTestService(options)];
  return { one, two, clock, calls: [client(one.url, one.key, clock), client(two.url, one.key, clock)] };
}
