/** The cards that a session, a person and the page for trying out share. */
import { bands, scoreMax, signalAges, signals } from '../../../generated/spec.js';
import type { History, StateReading, TriggerProfile } from '../../client/src/index.js';
import { contributionBars } from './contributions.js';
import { h, show, svg } from '../../ui/dom.js';
import {
  age,
  count,
  hasEnded,
  label,
  percent,
  shownState,
  signalLifetimeMs,
  signalName,
  whenOf,
  whenShort,
  words,
} from '../../ui/format.js';
import { calmingMs } from '../../sentence/headline.js';
import { type Part, sayWithout } from '../../sentence/without.js';
import { confidenceMin } from '../../sentence/sentence.js';
import { badge, bar, card, createStatus } from '../../ui/parts.js';
import { confidenceOf, type Point, type SignalName } from './points.js';
import { sessionLink } from './router.js';

const unsureText = 'Low: the signals are few, old or disagree, or the score is near the edge of focused.';
const arrows: Readonly<Record<History['trend'], string>> = { rising: '↗', falling: '↘', stable: '→' };

/** Returns the score as a large figure, with its band on a scale, the confidence and the trend, and a card with its parts. */
export function createScoreCard() {
  const element = h('section.card.score-card', { 'aria-label': 'Score' });
  const why = h('section.card.why', { 'aria-label': 'Parts of the score', hidden: true });
  // Announced when the state changes: the number and the age change too often.
  const name = h('span', { role: 'status' });
  const [figure, since, facts] = [h('span.score'), h('span.hint'), h('dl.line.facts')];
  const note = h('p.hint');
  const [bars, left] = [h('div'), createStatus('p.hint')];
  why.append(bars, left.element);
  let chosen: Part | undefined;
  const chip = h('span', name, ' ', since);
  const marker = svg('path.marker', { d: 'M0 0l5 7h-10z' });
  const scale = svg('svg.scale', { viewBox: '0 0 300 22', 'aria-hidden': 'true' }, scaleBands(), marker);
  element.append(h('p.line', figure, h('span.of', `/ ${scoreMax}`), chip), scale, facts, note);
  return {
    element,
    why,
    /** `sure` is the confidence now, and `explained` the newest state with contributions. */
    show(
      reading: StateReading,
      now: number,
      sure: number | undefined,
      trend: History['trend'] | undefined,
      explained = reading,
    ) {
      const { stress_score: score, state_since, timestamp, evidence } = reading;
      const state = shownState(reading);
      const newestMs = Date.parse(timestamp);
      const isPast = hasEnded(newestMs, now);
      element.classList.toggle('ended', isPast || evidence !== undefined);
      show(figure, evidence ? '–' : score);
      marker.toggleAttribute('hidden', evidence !== undefined);
      marker.setAttribute('transform', `translate(${(score / scoreMax) * 300} 13)`);
      chip.className = `badge state-chip ${isPast ? 'ended' : state}`;
      show(name, isPast ? 'Ended' : label(state));
      const held = state_since !== undefined && `since ${whenShort(Date.parse(state_since), now)}`;
      show(since, isPast ? age(newestMs, now) : held);
      const sayLeft = () => left.say(chosen ? sayWithout(explained, chosen) : '');
      const explainedMs = Date.parse(explained.timestamp);
      const parts = contributionBars(explained, explainedMs < newestMs && age(explainedMs, now), (part) => {
        chosen = part;
        sayLeft();
      });
      show(bars, parts);
      sayLeft();
      why.hidden = !parts;
      const isUnsure = !isPast && !evidence && sure !== undefined && sure < confidenceMin;
      show(
        facts,
        isPast && fact('Last live state', `${label(state)}, ${whenOf(newestMs, now)}`),
        !isPast && sure !== undefined && !evidence && fact('Confidence now', percent(sure), bar('Confidence', sure)),
        !isPast && trend && fact('Trend over 5 minutes', `${arrows[trend]} ${label(trend)}`),
      );
      show(note, isUnsure && unsureText);
    },
  };
}

function fact(name: string, ...value: Parameters<typeof show>[1][]) {
  return h('div', h('dt.hint', name), h('dd.line', value));
}

function scaleBands(): SVGElement[] {
  return bands.map(({ state, min_score: min }, index) => {
    const end = bands[index + 1]?.min_score ?? scoreMax;
    const [x, width] = [(min / scoreMax) * 300, ((end - min) / scoreMax) * 300 - 2];
    return svg('rect.scale-band', { class: state, x, y: 2, width, height: 8, rx: 2 });
  });
}

/** Returns the recommendation for an assistant, the reason of the score, and whether the last action helped. */
export function createAdviceCard() {
  const content = h('div');
  return {
    element: card('Recommendation for an AI assistant', content),
    /** The page of a person has its own sentence instead of the reason. */
    show(reading: StateReading, isPast: boolean, points: readonly Point[], now: number, hasReason = true) {
      const { suggested_action, recommendation, action_reason, evidence, adaptation_effectiveness: change } = reading;
      const isAdvised = !isPast && !evidence;
      const strained = findPastStress(points, now);
      const isUnsure = (confidenceOf(points, now) ?? 1) < confidenceMin;
      show(
        content,
        isPast && h('p', `None: the newest reading is older than ${signalAges.stale_after_seconds / 60} minutes.`),
        !isPast && evidence && h('p', 'None: the state is unknown.'),
        isAdvised && h('p.headline.action', strained ? 'Go slowly' : label(suggested_action)),
        isAdvised && h('p.recommendation', strained ? describePastStress(strained, now) : recommendation),
        isAdvised && isUnsure && h('p.notice', 'Take it as a hint: the score is uncertain.'),
        hasReason && [h('h3', isPast && !evidence ? 'Reason of the last score' : 'Reason'), h('p', action_reason)],
        isAdvised && change && h('p.hint', describeEffect(change.stress_delta, change.previous_score)),
      );
    },
  };
}

/** Returns the newest point with stress if it is over since minutes. The recommendation of a calmer state would come too early. */
function findPastStress(points: readonly Point[], now: number): Point | undefined {
  const isStrained = ({ state, evidence }: Point) => !evidence && (state === 'stressed' || state === 'acute_stress');
  const last = points.findLast(isStrained);
  return last && last !== points.at(-1) && now - last.atMs < calmingMs ? last : undefined;
}

function describePastStress({ state, atMs }: Point, now: number): string {
  const left = count(Math.ceil((atMs + calmingMs - now) / 60_000), 'more minute');
  return `${label(state)} until ${age(atMs, now)}. Go slowly for ${left}. Then the recommendation of the present state counts.`;
}

function describeEffect(delta: number, previous: number): string {
  if (delta === 0) return 'Since the previous reading: unchanged.';
  return `Since the previous reading: ${delta > 0 ? 'up' : 'down'} by ${Math.abs(delta)}, from ${previous}.`;
}

const signalNames = Object.keys(signals) as SignalName[];
/** Age from which a signal no longer counts, by its use, ms. */
const lifetimesMs: Readonly<Record<(typeof signals)[SignalName]['use'] | 'derivation', number>> = {
  evidence: signalLifetimeMs,
  derivation: signalLifetimeMs,
  context: signalAges.statement_seconds * 1_000,
  'stored only': 0,
};

/**
 * Returns the newest value of each signal with its age, and a bar of the time for which it still counts. `sourceOf` returns
 * the session that sent a value, to name it.
 */
export function createSignalsCard(
  title = 'Signals received',
  sourceOf: (name: SignalName, point: Point) => string | undefined = () => undefined,
) {
  const [list, since] = [h('ul.signals.list'), h('p.hint')];
  return {
    element: card(title, list, since),
    show(points: readonly Point[], now: number) {
      const rows = signalNames.map((name) => {
        const newest = points.findLast((it) => it[name] !== undefined);
        return newest !== undefined && signalRow(name, newest, sourceOf(name, newest), now);
      });
      show(list, rows);
      const [first] = points;
      show(
        since,
        first
          ? [
              `In the readings since ${whenOf(first.atMs, now)}. `,
              h('span.of-bars', 'A signal counts until its bar is empty.'),
            ]
          : 'No readings of this time are stored.',
      );
    },
  };
}

function signalRow(signal: SignalName, { atMs, [signal]: sent }: Point, source: string | undefined, now: number) {
  const { use, unit = '' }: { readonly use: keyof typeof lifetimesMs; readonly unit?: string } = signals[signal];
  const figure = typeof sent === 'number' ? sent.toLocaleString('en', { maximumFractionDigits: 2 }) : words(sent ?? '');
  const value = `${figure} ${unit}`.trim();
  const [ageMs, lifetimeMs] = [now - atMs, lifetimesMs[use]];
  const counts = ageMs < lifetimeMs;
  const left = lifetimeMs === 0 ? 0 : Math.max(0, 1 - ageMs / lifetimeMs);
  const title = counts ? 'Counts in the score until the bar is empty' : 'No longer counts';
  const name = `${signalName(signal)}, share of the time for which it counts`;
  const from = source !== undefined && h('a.hint', { href: sessionLink(source) }, `from ${source}`);
  return h(
    'li',
    h('span', h('strong', signalName(signal)), ` ${value} `, from),
    bar(name, left, { title, hidden: lifetimeMs === 0 }),
    h('span.signal-age.hint', `${age(atMs, now)}${lifetimeMs === 0 ? ', stored only' : ''}`),
  );
}

type Triggers = Pick<TriggerProfile, 'triggers'>;

/** Returns the topics that the service remembers about the person, most recently seen first. */
export function sortTriggers({ triggers }: Triggers) {
  return Object.entries(triggers).sort(([, a], [, b]) => b.last_seen.localeCompare(a.last_seen));
}

/** Returns a topic with the stress of its turns, and how much higher the stress of this person is with it. */
export function triggerHead(name: string, entry: TriggerProfile['triggers'][string], now?: number) {
  const { status, avg_stress, peak_stress, sessions, effect, evidence = 'weak', last_seen } = entry;
  const figures = [
    `mean stress of its turns ${Math.round(avg_stress)}, peak ${peak_stress}, ${count(sessions, 'session')}`,
    ...(effect === undefined ? [] : [`effect ${effect > 0 ? '+' : ''}${effect} points, ${evidence} evidence`]),
    ...(now === undefined ? [] : [age(Date.parse(last_seen), now)]),
  ];
  return h('div.line', h('strong', words(name)), badge(status), h('span.hint', figures.join(' · ')));
}

/** Shows the topics of a person. */
export function showTriggers(place: HTMLElement, profile: Triggers, now: number) {
  const topics = sortTriggers(profile);
  show(
    place,
    h('ul.triggers.list', ...topics.map(([name, entry]) => h('li', triggerHead(name, entry, now)))),
    topics.length === 0 && h('p.hint', 'No topics yet. Send conversation turns with a subject_id to detect them.'),
  );
}
