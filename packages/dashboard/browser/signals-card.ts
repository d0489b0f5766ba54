import { signalAges, signals } from '../../../generated/spec.js';
import { h, setText } from './dom.js';
import { age, capitalized, signalLifetimeMs, timeOfDay, words } from './format.js';
import type { Point, SignalName } from './points.js';

export interface SignalsCard {
  readonly element: HTMLElement;
  /** Shows the newest value of each signal of the points. */
  receive(points: readonly Point[]): void;
  /** Shows the ages at a time. */
  tick(nowMs: number): void;
}

interface Row {
  readonly element: HTMLElement;
  tick(nowMs: number): void;
}

const names = Object.keys(signals) as SignalName[];
/** Age from which a signal no longer counts, by its use, ms. */
const lifetimesMs: Readonly<Record<(typeof signals)[SignalName]['use'] | 'derivation', number>> = {
  evidence: signalLifetimeMs,
  derivation: signalLifetimeMs,
  context: signalAges.statement_seconds * 1_000,
  'stored only': 0,
};

/** Returns the signals that the session sent, with the newest value and its age, and whether it still counts. */
export function createSignalsCard(): SignalsCard {
  const since = h('p', { class: 'hint' });
  const list = h('ul', { class: 'signals' });
  let rows: readonly Row[] = [];
  return {
    element: h(
      'section',
      { class: 'card', 'aria-labelledby': 'signals-title' },
      h('h2', { id: 'signals-title' }, 'Signals received'),
      list,
      since,
    ),
    receive(points) {
      rows = names.flatMap((name) => {
        const newest = points.findLast(({ sent }) => sent[name] !== undefined);
        return newest ? [createRow(name, newest)] : [];
      });
      list.replaceChildren(...rows.map(({ element }) => element));
      const [first] = points;
      setText(
        since,
        first ? `In the readings since ${timeOfDay(first.atMs)}.` : 'No readings of this time are stored.',
      );
    },
    tick(nowMs) {
      for (const row of rows) row.tick(nowMs);
    },
  };
}

function createRow(name: SignalName, { atMs, sent }: Point): Row {
  const signal: { readonly use: keyof typeof lifetimesMs; readonly unit?: string } = signals[name];
  const value = typeof sent[name] === 'string' ? words(sent[name]) : `${sent[name]} ${signal.unit ?? ''}`.trim();
  const passed = h('span', { class: 'signal-age' });
  const counts = h('span', { class: 'hint' });
  const element = h(
    'li',
    {},
    h('span', { class: 'lamp', 'aria-hidden': 'true' }),
    h('span', {}, h('strong', {}, capitalized(words(name))), ' ', value),
    h('span', { class: 'signal-facts' }, passed, counts),
  );
  return {
    element,
    tick(nowMs) {
      const isFresh = nowMs - atMs < lifetimesMs[signal.use];
      element.className = isFresh ? 'fresh' : 'stale';
      setText(passed, age(atMs, nowMs));
      setText(counts, isFresh ? 'still counts' : signal.use === 'stored only' ? 'stored only' : 'no longer counts');
    },
  };
}
