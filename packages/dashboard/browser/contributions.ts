import { scoreMax } from '../../../generated/spec.js';
import type { StateReading } from '../../client/src/index.js';
import type { Part } from '../../sentence/without.js';
import { type Content, h } from '../../ui/dom.js';

const names: Readonly<Record<keyof NonNullable<StateReading['contributions']>, string>> = {
  neutral: 'Start, the same for all',
  cardiovascular: 'Heart',
  vocal: 'Voice',
  visual: 'Face',
  textual: 'Words',
  other_session: 'Other sessions',
  held: 'Kept until calm lasts',
};

/**
 * Returns what a score consists of. Each bar begins where the previous one ends, and the last one ends at the score.
 * `passed` is the age of a score that is not the newest one. `onChoose` runs when a part is chosen.
 */
export function contributionBars(reading: StateReading, passed: string | false, onChoose: (part: Part) => void) {
  const { contributions, stress_score: score, state, evidence, without } = reading;
  if (!contributions || evidence) return false;
  let end = 0;
  const rows = (Object.keys(names) as (keyof typeof names)[]).flatMap((name) => {
    const points = contributions[name];
    if (points === undefined || (name === 'held' && points === 0)) return [];
    const start = end;
    end += points;
    const sign = name === 'neutral' ? '' : points > 0 ? '+' : points < 0 ? '−' : '±';
    const color = name === 'neutral' || name === 'held' ? '' : points < 0 ? 'calm' : 'stressed';
    const title = name === 'held' && points < 0 ? 'Kept until the rise lasts' : names[name];
    const part = name === 'neutral' || name === 'held' || !without?.[name] ? undefined : name;
    const choose = part && h('button.part', { type: 'button', onclick: () => onChoose(part) }, title);
    return [row(choose ?? title, `${sign}${Math.abs(points)}`, start, end, color)];
  });
  const sum = row('Score', String(score), 0, score, state);
  return [
    h('h2', `Why ${score}`, passed && `, ${passed}`),
    h('ul.contributions', { 'aria-label': `The score of ${score} in points` }, rows, sum),
  ];
}

function row(name: Content, figure: string, start: number, end: number, color: string) {
  const [from, to] = [start, end]
    .map((it) => (100 * Math.min(Math.max(it, 0), scoreMax)) / scoreMax)
    .sort((a, b) => a - b);
  const style = `left: ${from}%; width: ${(to ?? 0) - (from ?? 0)}%`;
  const bar = h('span', { class: `piece ${color}`, style });
  return h('li', h('span', name), h('span.track', { 'aria-hidden': 'true' }, bar), h('strong.end', figure));
}
