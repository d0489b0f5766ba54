export { PartialBatchError } from './batches.js';
export { cleanIntervals } from './clean-intervals.js';
export {
  createStateClient,
  type Person,
  type SessionClient,
  type StateClient,
  type TokenClient,
  type WebhookClient,
} from './client.js';
export { ConnectionError, TimeoutError } from './connection-error.js';
export type { TokenSource } from './credential.js';
export { type ExportedRows, type ExportOptions, type ExportRowsOptions, lastCursor } from './export-readings.js';
export { fitBody } from './fit-body.js';
export { isTask, keepOwnWords } from './generated/own-words.js';
export { isKnownState, writeInstruction } from './instruction.js';
export type {
  CallOptions,
  ClientOptions,
  HistoryOptions,
  IdempotentCallOptions,
  ResponseInfo,
  TokenClientOptions,
} from './options.js';
export type { Pages } from './pages.js';
export { ProblemError, UnexpectedAnswerError } from './problem-error.js';
export type * from './schemas.js';
export type { StreamEvent, StreamOptions } from './stream.js';
