/** Wire types with the names of the contract. */
import type { components, operations } from '../../../generated/api.js';

type Schemas = components['schemas'];

export type Submission = Schemas['SignalSubmission'];
export type StateReading = Schemas['StateReading'];
export type State = Schemas['State'];
export type History = Schemas['History'];
export type SessionList = Schemas['SessionList'];
export type SessionSummary = Schemas['SessionSummary'];
export type StreamEventType = Schemas['StreamEventType'];
export type TokenRequest = Schemas['TokenRequest'];
export type SessionToken = Schemas['SessionToken'];
export type SessionFilter = NonNullable<operations['listSessions']['parameters']['query']>;
export type TriggerProfile = Schemas['TriggerProfile'];
export type ExportedReading = Schemas['ExportedReading'];
export type ExportedComputation = Schemas['ExportedComputation'];
export type Erasure = Schemas['Erasure'];
export type Webhook = Schemas['Webhook'];
export type WebhookRegistration = Schemas['WebhookRegistration'];
export type Delivery = Schemas['Delivery'];
export type DeliveryList = Schemas['DeliveryList'];
export type DeliveryFilter = NonNullable<operations['listDeliveries']['parameters']['query']>;
export type FailedDelivery = Schemas['FailedDelivery'];
export type FailedDeliveryList = Schemas['FailedDeliveryList'];
export type FailedDeliveryFilter = NonNullable<operations['listFailedDeliveries']['parameters']['query']>;
export type RetryRequest = Schemas['RetryRequest'];
export type RetryAccepted = Schemas['RetryAccepted'];
export type TestAccepted = Schemas['TestAccepted'];
export type StateChange = Schemas['StateChange'];
export type Problem = Schemas['Problem'];
export type ValidationProblem = Schemas['ValidationProblem'];
export type RateLimitProblem = Schemas['RateLimitProblem'];
export type ProblemCode = Schemas['ProblemCode'];
export type Fault = Schemas['Fault'];
export type LimitPolicy = Schemas['LimitPolicy'];
