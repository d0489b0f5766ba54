import { type ImportPlan, sendHistory } from './import-history.js';
import { type BatchSending, createBatchSender } from './send-batch.js';

/** Returns numbers of readings by outcome, and of rejected ones by reason. */
export const createSent = () => ({
  samples: { stored: 0, replaced: 0, unchanged: 0 },
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
  await sendHistory(plan, createBatchSender(sending), (_, answer) => {
    answered += 1;
    onProgress(answered / plan.lines.length);
    if ('refusal' in answer) sent.rejected.set(answer.refusal, (sent.rejected.get(answer.refusal) ?? 0) + 1);
    else if (answer.sample) sent.samples[answer.sample] += 1;
  });
}
