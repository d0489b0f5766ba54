import type { Submission } from '../../../client/src/index.js';
import { nowMs } from '../clock.js';
import { h, setText } from '../dom.js';
import { reasonOf, type Service } from '../service.js';
import { createReadingForm } from './reading-form.js';
import { createScenes } from './scenes.js';
import { createStrap } from './strap.js';

/** A reading without its session and time. */
export type Signals = Omit<Submission, 'session_id' | 'timestamp'>;
/** Sends a reading of the present time. Resolves with false if the service rejected it; the panel shows the reason. */
export type Send = (signals: Signals) => Promise<boolean>;

export interface SendPanel {
  readonly element: HTMLElement;
  useSubject(subjectId: string | undefined): void;
  close(): void;
}

/** Shared by sessions, because Trigger Memory resolves a topic in later sessions of the person. */
const demoSubject = 'demo-person';

/** Returns the three ways to send readings to a session from the page: by hand, as a scene, from a heart-rate strap. */
export function createSendPanel(service: Service, sessionId: string): SendPanel {
  const outcome = h('p', { class: 'outcome', role: 'status' });
  let lastMs = 0;
  const send: Send = async (signals) => {
    // Two readings in one millisecond could be equal, and the service would take the second one for a resend.
    lastMs = Math.max(nowMs(), lastMs + 1);
    const timestamp = new Date(lastMs).toISOString();
    try {
      const { stress_score, derived } = await service.ingest({ session_id: sessionId, timestamp, ...signals });
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
  const subject = h('input', {
    id: 'send-subject',
    type: 'text',
    value: demoSubject,
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: 256,
  });
  const subjectOf = () => (subject.value.trim() === '' ? {} : { subject_id: subject.value.trim() });
  const form = createReadingForm(send, subjectOf);
  const [scenes, strap] = [createScenes((signals) => send({ ...signals, ...subjectOf() })), createStrap(send)];
  return {
    element: h(
      'section',
      { class: 'card wide send', 'aria-labelledby': 'send-title' },
      h('h2', { id: 'send-title' }, 'Send readings'),
      h(
        'p',
        { class: 'hint' },
        'For trying out. Readings are stored in this session like any other. Scenes and conversation turns name this subject:',
      ),
      h('p', { class: 'field subject' }, h('label', { for: 'send-subject' }, 'Subject'), subject),
      scenes.element,
      strap.element,
      form,
      outcome,
    ),
    useSubject(subjectId) {
      // The first subject binds the session: the service rejects another one.
      subject.readOnly = subjectId !== undefined;
      if (subjectId !== undefined) subject.value = subjectId;
    },
    close() {
      scenes.stop();
      strap.disconnect();
    },
  };
}
