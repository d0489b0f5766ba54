import { ProblemError } from '../contract/problem.js';
import type { OperationRecord } from './operation.js';

/** Throws service_unavailable when the database is unavailable, has pending migrations or accepts no writes. */
export const getReadiness: OperationRecord<'getReadiness', 'checkDatabase'> = {
  personalData: 'none',
  reportsReadiness: true,
  async handle({ checkDatabase }) {
    const { cause } = await checkDatabase().catch((error: unknown) => {
      throw new ProblemError('service_unavailable', { cause: error });
    });
    if (cause !== undefined) throw new ProblemError('service_unavailable', { cause, hint: { cause } });
    return { status: 200, body: { status: 'ready' } };
  },
};
