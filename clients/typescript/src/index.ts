export {
  type CallOptions,
  type ClientOptions,
  createStateClient,
  type IdempotentCallOptions,
  type StateClient,
  type WebhookClient,
} from './client.js';
export { ProblemError, UnexpectedAnswerError } from './problem-error.js';
export type * from './schemas.js';
