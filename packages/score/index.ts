export { advanceSession, backfillSession, type SessionStep } from './session.js';
export { findBand } from './states.js';
