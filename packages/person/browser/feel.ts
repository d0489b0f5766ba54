import { h } from '../../ui/dom.js';
import { nowMs } from '../../ui/clock.js';
import { createStatus } from '../../ui/parts.js';
import type { Page } from './link.js';
import { attempt, card } from './parts.js';
import { t } from './texts.js';

const choices = [0, 3, 5, 7, 10] as const;

/** Returns the card that stores how the person feels now, with one tap. */
export function createFeelCard({ client, me }: Page) {
  const outcome = createStatus();
  const report = (stress: (typeof choices)[number]) => async () => {
    await client.submitFeedback({ subject_id: me, timestamp: new Date(nowMs()).toISOString(), stress });
    return t('felt', { what: t(`feel_${stress}`) });
  };
  const buttons = choices.map((stress) =>
    h('button.secondary', { type: 'button', onclick: attempt(outcome, report(stress)) }, t(`feel_${stress}`)),
  );
  return card('feel', h('div.feelings', ...buttons), outcome.element);
}
