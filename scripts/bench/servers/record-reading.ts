import type { Submission } from '../../../src/contract.js';

/** Stores a reading. Resolves when the reading is durable. */
export type RecordReading = (reading: Submission) => Promise<void> | void;
