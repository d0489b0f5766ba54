import { facts as settings } from '../../generated/spec.js';
import { findKeptMs } from '../contract/grant.js';
import { putFact as put } from '../readings/facts.js';
import { checkAge } from '../readings/intake.js';
import { toFact } from '../store/facts.js';
import type { OperationRecord } from './operation.js';

/** Stores a fact of a person. Responds after the readings are scored again that it covers. */
export const putFact: OperationRecord<'putFact', 'store' | 'now' | 'digestId' | 'scoreAgain' | 'maxReadingAgeMs'> = {
  personalData: 'replaces',
  async handle(services, { params, body }, caller) {
    const { subject_id, kind, level, start, end, revision = 0 } = body;
    const startMs = Date.parse(start);
    const endMs = end === undefined ? undefined : Date.parse(end);
    const nowMs = services.now();
    // A fact expires with its end, which may be in the future. The start may not.
    const keptMs = findKeptMs(caller, services.maxReadingAgeMs);
    checkAge(Math.max(startMs, Math.min(endMs ?? startMs, nowMs)), nowMs, keptMs);
    const source = caller.link && settings.disputes.source;
    // A person disputes only what is measured and stored.
    if (source) for (const atMs of [startMs, endMs ?? startMs]) checkAge(atMs, nowMs, keptMs);
    const stated = { factId: params.fact_id, kind, level, startMs, endMs, revision, source };
    return { status: 200, body: toFact(subject_id, await put(services, caller, subject_id, stated)) };
  },
};
