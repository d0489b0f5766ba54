import type { Operation } from '../contract.js';

export function getHealth(): Operation<'getHealth'> {
  return async () => ({ status: 200, body: { status: 'ok' } });
}
