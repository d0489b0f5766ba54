import type { Schema } from '../contract/contract.js';

/** What happened to a reading with a sample that was not rejected. */
export type SampleOutcome = NonNullable<Schema<'LineResult'>['sample']>;
