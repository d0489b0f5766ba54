import { h } from '../../ui/dom.js';
import { button, createStatus } from '../../ui/parts.js';
import type { Page } from './link.js';
import { attempt, card, load } from './parts.js';
import { t } from './texts.js';
import { nameTopic } from './topic-names.js';

/** Returns the card with the topics of the person, each of which can be wrong. `onRemoved` runs after a removal. */
export function createTopicsCard(page: Page, onRemoved: () => void) {
  const [place, outcome] = [h('div'), createStatus()];
  const read = async () => {
    const { triggers } = await page.client.triggers(page.me, { signal: page.signal });
    const topics = Object.entries(triggers).map(([topic, { status }]) => showTopic(topic, status));
    return topics.length === 0 ? [h('p.hint', t('no_topics'))] : [h('ul.list', ...topics)];
  };
  const show = () => load(page, place, read, 'no_topics');
  const remove = (topic: string) => async () => {
    await page.client.deleteTrigger(page.me, topic);
    show();
    onRemoved();
    // The button is gone.
    element.querySelector('h2')?.focus();
    return t('removed', { what: nameTopic(topic) });
  };
  const showTopic = (topic: string, status: 'observed' | 'active' | 'resolved') => {
    const name = nameTopic(topic);
    const confirm = button(t('remove_now'), attempt(outcome, remove(topic)), {
      class: 'danger',
      'aria-label': `${t('remove_now')}: ${name}`,
    });
    const summary = h('summary', { 'aria-label': `${t('wrong')}: ${name}` }, t('wrong'));
    const removal = page.may('correct') && h('details', summary, h('p', t('remove_text')), confirm);
    return h('li', h('strong', name), ` – ${t(status)}`, removal);
  };
  const element = card('topics', h('p.hint', t('topics_text')), place, outcome.element);
  show();
  return element;
}
