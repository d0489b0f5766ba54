import { signalAges } from '../../../generated/spec.js';
import type { StateReading } from '../../client/src/index.js';
import { h, setText } from './dom.js';
import { capitalized, words } from './format.js';

const lifetimeMinutes = signalAges.stale_after_seconds / 60;

/** Returns the recommendation for an assistant, the reason of the score, and whether the last action helped. */
export function createAdviceCard() {
  const action = h('p', { class: 'action' });
  const recommendation = h('p', { class: 'recommendation' });
  const none = h('p', {}, `None: the newest reading is older than ${lifetimeMinutes} minutes.`);
  const title = h('h3', {});
  const reason = h('p', {});
  const effect = h('p', { class: 'hint' });
  const element = h(
    'section',
    { class: 'card advice', 'aria-labelledby': 'advice-title' },
    h('h2', { id: 'advice-title' }, 'Recommendation'),
    none,
    action,
    recommendation,
    title,
    reason,
    effect,
  );
  return {
    element,
    show({
      suggested_action,
      recommendation: text = '',
      action_reason,
      adaptation_effectiveness: change,
    }: StateReading) {
      setText(action, capitalized(words(suggested_action)));
      setText(recommendation, text);
      setText(reason, action_reason);
      setText(effect, change ? effectOf(change.stress_delta, change.previous_score) : '');
    },
    /** Removes the recommendation of a session that has ended. */
    tick(hasEnded: boolean) {
      none.hidden = !hasEnded;
      action.hidden = recommendation.hidden = effect.hidden = hasEnded;
      setText(title, hasEnded ? 'Reason of the last score' : 'Reason');
    },
  };
}

function effectOf(delta: number, previous: number): string {
  if (delta === 0) return `Unchanged since the previous reading.`;
  const direction = delta > 0 ? 'up' : 'down';
  return `${capitalized(direction)} by ${Math.abs(delta)} since the previous reading (${previous}).`;
}
