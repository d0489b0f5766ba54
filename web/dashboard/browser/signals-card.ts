import { enums, signals, stressModel } from '../../../generated/spec.js';
import type { StateReading } from '../../../clients/typescript/src/index.js';
import { h, setText } from './dom.js';
import { age } from './format.js';
import type { Point } from './points.js';

type Category = StateReading['signals_received'][number];

export interface SignalsCard {
  readonly element: HTMLElement;
  receive(reading: StateReading): void;
  /** Updates the time of the last heart data, which the history contains. */
  receiveHistory(points: readonly Point[]): void;
  /** Shows the ages at a time. */
  tick(nowMs: number): void;
}

const names: Readonly<Record<Category, string>> = {
  cardiovascular: 'Heart',
  vocal: 'Voice',
  visual: 'Face',
  textual: 'Words',
};
/** An older signal does not count. */
const staleMs = stressModel.age.stale_after_seconds * 1_000;

/** Returns the fields of a category, with the names of the contract. */
function listFields(category: Category): string {
  const rows = Object.entries(signals).filter(([, row]) => 'category' in row && row.category === category);
  return rows.map(([name]) => name).join(', ');
}

/** Returns the kinds of signals with the age of the newest one of each. */
export function createSignalsCard(): SignalsCard {
  const receivedMs = new Map<Category, number>();
  const rows = enums.SignalCategory.map((category) => {
    const value = h('span', { class: 'signal-age' });
    const text = h('span', {}, h('strong', {}, names[category]), h('span', { class: 'hint' }, listFields(category)));
    return { category, value, element: h('li', {}, h('span', { class: 'lamp', 'aria-hidden': 'true' }), text, value) };
  });
  const receive = (category: Category, atMs: number) =>
    receivedMs.set(category, Math.max(atMs, receivedMs.get(category) ?? 0));
  return {
    element: h(
      'section',
      { class: 'card', 'aria-labelledby': 'signals-title' },
      h('h2', { id: 'signals-title' }, 'Signals received'),
      h('ul', { class: 'signals' }, ...rows.map(({ element }) => element)),
    ),
    receive({ signals_received, timestamp }) {
      for (const category of signals_received) receive(category, Date.parse(timestamp));
    },
    receiveHistory(points) {
      const newest = points.findLast(({ heartRate }) => heartRate !== undefined);
      if (newest) receive('cardiovascular', newest.atMs);
    },
    tick(nowMs) {
      for (const { category, value, element } of rows) {
        const atMs = receivedMs.get(category);
        element.className = atMs === undefined ? 'absent' : nowMs - atMs > staleMs ? 'stale' : 'fresh';
        setText(value, atMs === undefined ? 'Not received' : age(atMs, nowMs));
      }
    },
  };
}
