export {
  type CallOptions,
  type ClientOptions,
  createStateClient,
  type IdempotentCallOptions,
  type ResponseInfo,
  type StateClient,
  type WebhookClient,
} from './client.js';
export { ConnectionError, TimeoutError } from './connection-error.js';
export type { Pages } from './pages.js';
export { ProblemError, UnexpectedAnswerError } from './problem-error.js';
export type * from './schemas.js';
