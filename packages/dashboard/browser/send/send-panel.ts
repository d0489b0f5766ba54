import { h } from '../../../ui/dom.js';
import { card, createStatus } from '../../../ui/parts.js';
import type { Service } from '../service.js';
import { createReadingForm } from './reading-form.js';
import { createScenes } from './scenes.js';
import { createSend } from './send.js';
import { createStrap } from './strap.js';

/** Returns the three ways to send readings of a session that exists for trying out: a scene, a strap, by hand. */
export function createSendPanel(service: Service, id: string, signal: AbortSignal): HTMLElement {
  const outcome = createStatus();
  const send = createSend(service, id, outcome);
  const hint = `Readings are stored in the session ${id} of the person ${id}, and in no other. Webhooks of all sessions get its events.`;
  const form = createReadingForm((it) => send('By hand', it), outcome.element);
  const scenes = createScenes((it) => send('Scene', it), signal);
  const strap = createStrap((it) => send('Strap', it), signal);
  return card('Send readings', h('p.hint', hint), scenes, strap, form);
}
