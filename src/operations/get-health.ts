import type { OperationRecord } from './operation.js';

export const getHealth: OperationRecord<'getHealth'> = {
  personalData: 'none',
  handle: async () => ({ status: 200, body: { status: 'ok' } }),
};
