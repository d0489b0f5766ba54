/** Wire types with the names of the contract. */
import type { SafetyFinding } from './generated/types.js';

export type * from './generated/types.js';
export type SafetyKind = SafetyFinding['kind'];
