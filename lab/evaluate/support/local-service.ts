import { type EvaluatedService, startEvaluatedService } from '../../../packages/tools/evaluate/scores/service.js';

/** Starts a service with a temporary database and a manual clock, with the files of this checkout. */
export function startLocalService(): Promise<EvaluatedService> {
  return startEvaluatedService({ root: new URL('../../../', import.meta.url) });
}
