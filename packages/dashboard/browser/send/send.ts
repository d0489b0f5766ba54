import type { Submission } from '../../../client/src/index.js';
import type { createStatus } from '../../../ui/parts.js';
import { nowMs, reasonOf, type Service } from '../service.js';

/** A reading without its session, person and time. */
export type Signals = Omit<Submission, 'session_id' | 'subject_id' | 'timestamp'>;
/** Sends a reading of the present time. Resolves with false if the service rejected it; `outcome` shows the reason. */
export type Send = (signals: Signals) => Promise<boolean>;

/** Returns a function that sends readings of a session and a person with this id, and shows their outcome. */
export function createSend(service: Service, id: string, outcome: ReturnType<typeof createStatus>) {
  let lastMs = 0;
  return async (source: string, signals: Signals): Promise<boolean> => {
    // Two readings in one millisecond could be equal, and the service would take the second one for a resend.
    lastMs = Math.max(nowMs(), lastMs + 1);
    const reading = { session_id: id, subject_id: id, timestamp: new Date(lastMs).toISOString(), ...signals };
    try {
      const { stress_score, evidence, derived } = await service.ingest(reading);
      const sentiment = derived?.sentiment === undefined ? '' : ` Derived sentiment ${derived.sentiment}.`;
      outcome.say(`${source}: sent, ${evidence ? 'state unknown' : `score ${stress_score}`}.${sentiment}`);
      return true;
    } catch (error) {
      outcome.say(`${source}: not sent. ${reasonOf(error)}`, true);
      return false;
    }
  };
}
