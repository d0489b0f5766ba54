import type { OperationRecord } from './operation.js';

/** Responds if the process is ready, which a step before it checks. */
export const getReadiness: OperationRecord<'getReadiness'> = {
  personalData: 'none',
  reportsReadiness: true,
  fixed: { status: 200, body: { status: 'ready' } },
};
