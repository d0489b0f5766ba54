import type { Submission } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { card, h, setText } from '../dom.js';
import { reasonOf, type Service } from '../service.js';
import { createReadingForm } from './reading-form.js';
import { createScenes } from './scenes.js';
import { createStrap } from './strap.js';

/** A reading without its session, person and time. */
export type Signals = Omit<Submission, 'session_id' | 'subject_id' | 'timestamp'>;
/** Sends a reading of the present time. Resolves with false if the service rejected it; the panel shows the reason. */
export type Send = (signals: Signals) => Promise<boolean>;

/** Returns the three ways to send readings of a session that exists for trying out: a scene, a strap, by hand. */
export function createSendPanel(service: Service, id: string) {
  const outcome = h('p', { class: 'outcome', role: 'status' });
  let lastMs = 0;
  const send: Send = async (signals) => {
    // Two readings in one millisecond could be equal, and the service would take the second one for a resend.
    lastMs = Math.max(nowMs(), lastMs + 1);
    const timestamp = new Date(lastMs).toISOString();
    try {
      const sent = { session_id: id, subject_id: id, timestamp, ...signals };
      const { stress_score, derived } = await service.ingest(sent);
      outcome.className = 'outcome';
      const sentiment = derived?.sentiment === undefined ? '' : ` Derived sentiment ${derived.sentiment}.`;
      setText(outcome, `Sent. Score ${stress_score}.${sentiment}`);
      return true;
    } catch (error) {
      outcome.className = 'outcome fault';
      setText(outcome, `Not sent. ${reasonOf(error)}`);
      return false;
    }
  };
  const [scenes, strap] = [createScenes(send), createStrap(send)];
  const hint = `Readings are stored in the session ${id} of the person ${id}, and in no other. Webhooks of all sessions get its events.`;
  const element = card(
    'Send readings',
    h('p', { class: 'hint' }, hint),
    scenes.element,
    strap.element,
    createReadingForm(send),
    outcome,
  );
  element.classList.add('send');
  return {
    element,
    close() {
      scenes.stop();
      strap.disconnect();
    },
  };
}
