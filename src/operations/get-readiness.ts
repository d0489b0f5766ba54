import { ProblemError } from '../problem.js';
import type { OperationRecord } from './operation.js';

/** Throws service_unavailable when the database is unavailable or has pending migrations. */
export const getReadiness: OperationRecord<'getReadiness'> = {
  personalData: 'none',
  reportsReadiness: true,
  async handle({ store }) {
    const isReady = await store.isReady().catch((cause: unknown) => {
      throw new ProblemError('service_unavailable', { cause });
    });
    if (!isReady) throw new ProblemError('service_unavailable', { cause: 'migrations are pending' });
    return { status: 200, body: { status: 'ready' } };
  },
};
