import { h } from '../../ui/dom.js';
import { createStatus } from '../../ui/parts.js';
import { explain, type Page } from './link.js';
import { card, load } from './parts.js';
import { t } from './texts.js';
import { nameTopic } from './topic-names.js';

/** Returns the card with the topics of the person, each of which can be wrong. */
export function createTopicsCard(page: Page) {
  const [place, outcome] = [h('div'), createStatus()];
  const show = () =>
    load(
      page,
      place,
      async () => {
        const { triggers } = await page.client.triggers(page.me, { signal: page.signal });
        const topics = Object.entries(triggers).map(([topic, { status }]) => showTopic(topic, status));
        return topics.length === 0 ? [h('p.hint', t('no_topics'))] : [h('ul.list', ...topics)];
      },
      'no_topics',
    );
  const remove = async (topic: string) => {
    try {
      await page.client.deleteTrigger(page.me, topic);
      outcome.say(t('removed', { what: nameTopic(topic) }));
      show();
      // The button is gone.
      element.querySelector('h2')?.focus();
    } catch (error) {
      outcome.say(explain(error), true);
    }
  };
  const showTopic = (topic: string, status: 'observed' | 'active' | 'resolved') => {
    const name = nameTopic(topic);
    const label = { type: 'button', 'aria-label': `${t('wrong')}: ${name}` };
    const wrong =
      page.may('correct') && h('button.secondary.small', { ...label, onclick: () => void remove(topic) }, t('wrong'));
    return h('li', h('span.line.between', h('span', h('strong', name), ` – ${t(status)}`), wrong));
  };
  const element = card('topics', h('p.hint', t('topics_text')), place, outcome.element);
  show();
  return element;
}
