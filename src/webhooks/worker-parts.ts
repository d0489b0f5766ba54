import type { Logger } from 'pino';
import { webhookDelivery as settings } from '../../generated/spec.js';
import type { Schema } from '../contract/contract.js';
import type { Store } from '../store/store.js';
import type { ResolveName } from './resolve-name.js';
import type { SecretBox } from './secrets.js';
import type { TargetPolicy } from './target.js';

export const attemptMs = settings.attempt_timeout_seconds * 1000;

export interface WorkerParts {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly targetPolicy: TargetPolicy;
  readonly resolveName: ResolveName;
  /** Whether failed deliveries contain the start of the receiver's response. */
  readonly keepsResponses: boolean;
  /** URL of the service for clients. Undefined: not known. */
  readonly publicUrl: string | undefined;
  readonly now: () => number;
  readonly log: Logger;
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
  /** Called for each webhook whose status an attempt changed, with the new status. */
  readonly observeStatus: (status: Schema<'WebhookStatus'>) => void;
  /**
   * Maximum pause of the worker between two queries, in ms. Events and deliveries of other processes do not end the pause
   * early.
   */
  readonly pollMs: number;
}
