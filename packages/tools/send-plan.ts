import { type ImportPlan, sendHistory } from './import-history.js';
import { type BatchSending, createBatchSender, createFactSender } from './send-batch.js';

/** Returns numbers of readings by outcome, of stored facts, and of what was rejected by reason. */
export const createSent = () => ({
  samples: { stored: 0, replaced: 0, unchanged: 0 },
  facts: 0,
  rejected: new Map<string, number>(),
});
export type Sent = ReturnType<typeof createSent>;

/** Sends an import, with its progress as a share from 0 to 1. Adds to `sent`, also before an error. */
export async function sendPlan(
  plan: ImportPlan,
  sent: Sent,
  onProgress: (share: number) => void,
  sending: BatchSending,
): Promise<void> {
  sent.samples.unchanged = plan.unchanged;
  let answered = 0;
  const proceed = () => onProgress((answered += 1) / (plan.lines.length + plan.facts.length));
  const reject = (reason: string) => sent.rejected.set(reason, (sent.rejected.get(reason) ?? 0) + 1);
  await sendHistory(
    plan,
    { sendBatch: createBatchSender(sending), sendFact: createFactSender(sending) },
    (_, answer) => {
      proceed();
      if ('refusal' in answer) reject(answer.refusal);
      else if (answer.sample) sent.samples[answer.sample] += 1;
    },
    (refusal) => {
      proceed();
      if (refusal === undefined) sent.facts += 1;
      else reject(refusal);
    },
  );
}
