import type { Submission } from '../client/src/index.js';
import { type Answer, type BatchSending, requireRefusal } from './send-batch.js';
import { connect, explain, otherService, type ServiceOptions } from './service.js';

export type Send = (submission: Submission) => Promise<Answer>;

export function createSend(service: ServiceOptions, signal: AbortSignal): Send {
  const client = connect(service);
  return async (submission) => {
    try {
      const reading = await client.ingest(submission, { signal });
      if (!('stress_score' in reading)) throw otherService(service.url);
      return { reading };
    } catch (error) {
      return { refusal: requireRefusal(error, (it) => explain(it, service.url)) };
    }
  };
}

/** Returns how a command sends batches and facts. */
export function createSending(
  service: ServiceOptions,
  signal: AbortSignal,
  onWait: (seconds: number, reason: string) => void,
): BatchSending {
  return { client: connect(service), explain: (it) => explain(it, service.url), signal, onWait };
}
