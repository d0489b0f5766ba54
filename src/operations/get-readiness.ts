import type { Operation } from '../contract.js';
import { ProblemError } from '../problem.js';
import type { Services } from './services.js';

/** Throws service_unavailable when the database is unavailable or has pending migrations. */
export function getReadiness({ store }: Services): Operation<'getReadiness'> {
  return async () => {
    const isReady = await store.isReady().catch((cause: unknown) => {
      throw new ProblemError('service_unavailable', { cause });
    });
    if (!isReady) throw new ProblemError('service_unavailable', { cause: 'migrations are pending' });
    return { status: 200, body: { status: 'ready' } };
  };
}
