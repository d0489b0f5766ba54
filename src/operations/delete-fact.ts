import { removeFact } from '../readings/facts.js';
import type { OperationRecord } from './operation.js';

/** Removes a fact of a person. Responds after the readings are scored again that it covered. */
export const deleteFact: OperationRecord<'deleteFact', 'store' | 'now' | 'digestId' | 'scoreAgain'> = {
  personalData: 'erases',
  async handle(services, { params: { fact_id }, query: { subject_id } }, caller) {
    await removeFact(services, caller, subject_id, fact_id);
    return { status: 204 };
  },
};
