import { type EvaluatedService, withEvaluatedService } from '../../../packages/tools/evaluate/scores/service.js';

/** Runs work on a service with a temporary database and a manual clock, with the files of this checkout. */
export function withLocalService<T>(work: (service: EvaluatedService) => Promise<T>): Promise<T> {
  return withEvaluatedService({ root: new URL('../../../', import.meta.url) }, work);
}
