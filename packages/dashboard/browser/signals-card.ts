import { signalAges, signals } from '../../../generated/spec.js';
import { h, setText } from './dom.js';
import { age, signalLifetimeMs, signalName, timeOfDay, words } from './format.js';
import type { Point, SignalName } from './points.js';
import { sessionLink } from './router.js';

const names = Object.keys(signals) as SignalName[];
/** Age from which a signal no longer counts, by its use, ms. */
const lifetimesMs: Readonly<Record<(typeof signals)[SignalName]['use'] | 'derivation', number>> = {
  evidence: signalLifetimeMs,
  derivation: signalLifetimeMs,
  context: signalAges.statement_seconds * 1_000,
  'stored only': 0,
};

/** Returns the newest value of each signal with its age, and a bar of the time for which it still counts. */
export function createSignalsCard(title = 'Signals received') {
  const since = h('p', { class: 'hint' });
  const list = h('ul', { class: 'signals' });
  let rows: ReadonlyArray<ReturnType<typeof createRow>> = [];
  const heading = h('h2', { id: 'signals-title' }, title);
  return {
    element: h('section', { class: 'card', 'aria-labelledby': 'signals-title' }, heading, list, since),
    /** Shows the newest values of the points. `sourceOf` returns the session that sent a value, to name it. */
    receive(
      points: readonly Point[],
      sourceOf: (name: SignalName, point: Point) => string | undefined = () => undefined,
    ) {
      rows = names.flatMap((name) => {
        const newest = points.findLast(({ sent }) => sent[name] !== undefined);
        return newest ? [createRow(name, newest, sourceOf(name, newest))] : [];
      });
      list.replaceChildren(...rows.map(({ element }) => element));
      const [first] = points;
      setText(
        since,
        first ? `In the readings since ${timeOfDay(first.atMs)}.` : 'No readings of this time are stored.',
      );
    },
    tick(nowMs: number) {
      for (const row of rows) row.tick(nowMs);
    },
  };
}

function createRow(name: SignalName, { atMs, sent }: Point, source: string | undefined) {
  const signal: { readonly use: keyof typeof lifetimesMs; readonly unit?: string } = signals[name];
  const value = typeof sent[name] === 'string' ? words(sent[name]) : `${sent[name]} ${signal.unit ?? ''}`.trim();
  const lifetimeMs = lifetimesMs[signal.use];
  const passed = h('span', { class: 'signal-age' });
  const label = `${signalName(name)}, share of the time for which it counts`;
  const left = h('meter', { min: 0, max: 1, 'aria-label': label, hidden: lifetimeMs === 0 });
  const from = source !== undefined && h('a', { class: 'hint', href: sessionLink(source) }, `from ${source}`);
  const text = h('span', {}, h('strong', {}, signalName(name)), ' ', value, ' ', from);
  const element = h('li', {}, text, left, passed);
  return {
    element,
    tick(nowMs: number) {
      const ageMs = nowMs - atMs;
      element.className = ageMs < lifetimeMs ? 'fresh' : 'stale';
      left.value = lifetimeMs === 0 ? 0 : Math.max(0, 1 - ageMs / lifetimeMs);
      left.title = ageMs < lifetimeMs ? 'Counts in the score until the bar is empty' : 'No longer counts';
      setText(passed, `${age(atMs, nowMs)}${lifetimeMs === 0 ? ', stored only' : ''}`);
    },
  };
}
