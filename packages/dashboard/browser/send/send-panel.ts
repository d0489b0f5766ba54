import type { Submission } from '../../../client/src/index.js';
import { h } from '../../../ui/dom.js';
import { card, createStatus } from '../../../ui/parts.js';
import { nowMs, reasonOf, type Service } from '../service.js';
import { createReadingForm } from './reading-form.js';
import { createScenes } from './scenes.js';
import { createStrap } from './strap.js';

/** A reading without its session, person and time. */
export type Signals = Omit<Submission, 'session_id' | 'subject_id' | 'timestamp'>;
/** Sends a reading of the present time. Resolves with false if the service rejected it; the panel shows the reason. */
export type Send = (signals: Signals) => Promise<boolean>;

/** Returns the three ways to send readings of a session that exists for trying out: a scene, a strap, by hand. */
export function createSendPanel(service: Service, id: string, signal: AbortSignal): HTMLElement {
  const outcome = createStatus();
  let lastMs = 0;
  const send = async (source: string, signals: Signals) => {
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
  const hint = `Readings are stored in the session ${id} of the person ${id}, and in no other. Webhooks of all sessions get its events.`;
  const form = createReadingForm((it) => send('By hand', it), outcome.element);
  const scenes = createScenes((it) => send('Scene', it), signal);
  const strap = createStrap((it) => send('Strap', it), signal);
  return card('Send readings', h('p.hint', hint), scenes, strap, form);
}
