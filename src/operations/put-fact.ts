import { putFact as put } from '../readings/facts.js';
import { checkAge } from '../readings/intake.js';
import { toFact } from '../store/facts.js';
import type { OperationRecord } from './operation.js';

/** Stores a fact of a person. Responds after the readings are scored again that it covers. */
export const putFact: OperationRecord<'putFact', 'store' | 'now' | 'digestId' | 'maxReadingAgeMs'> = {
  personalData: 'writes',
  async handle(services, { params, body }, caller) {
    const { subject_id, kind, level, start, end, revision = 0 } = body;
    const startMs = Date.parse(start);
    checkAge(startMs, services.now(), services.maxReadingAgeMs);
    const endMs = end === undefined ? undefined : Date.parse(end);
    const stated = { factId: params.fact_id, kind, level, startMs, endMs, revision };
    return { status: 200, body: toFact(subject_id, await put(services, caller, subject_id, stated)) };
  },
};
