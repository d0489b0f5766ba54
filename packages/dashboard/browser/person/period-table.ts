import type { SummaryRow } from '../../../client/src/index.js';
import { h } from '../dom.js';
import { capitalized, words } from '../format.js';
import { reasonOf, type Service } from '../service.js';
import { nameOfDay, nameOfInstant, type Period, timeZone } from './calendar.js';
import { duration, type Hour, states } from './hours.js';
import { loadDays } from './load-hours.js';

/** Returns a table with the figures of the charts, for readers who do not see them. */
export function createPeriodTable(service: Service, subjectId: string, signal: AbortSignal) {
  const content = h('div', { class: 'scrolled', tabindex: 0, role: 'region', 'aria-label': 'Table of the period' });
  const element = h('details', { class: 'period-table' }, h('summary', {}, 'Show as a table'), content);
  let shown: { readonly period: Period; readonly hours: readonly Hour[] } | undefined;

  const fill = async () => {
    if (!shown || !element.open) return;
    const { period, hours } = shown;
    const isDay = period.span === 'day';
    const rows = isDay ? hours.map(({ row }) => row) : await loadDays(service, subjectId, period, timeZone(), signal);
    // The reader may have chosen another period meanwhile.
    if (shown.period !== period) return;
    const nameOf = (row: SummaryRow) => (isDay ? nameOfInstant : nameOfDay)(Date.parse(row.start));
    content.replaceChildren(tableOf(isDay ? 'Hour' : 'Day', rows, nameOf));
  };
  const update = () => {
    content.replaceChildren();
    fill().catch((error: unknown) => {
      if (!signal.aborted) content.replaceChildren(h('p', { class: 'fault', role: 'alert' }, reasonOf(error)));
    });
  };
  element.addEventListener('toggle', update);
  return {
    element,
    /** Shows the hours of a day, or requests the days of a longer period, once the reader has opened the table. */
    show(period: Period, hours: readonly Hour[]) {
      shown = { period, hours };
      update();
    },
  };
}

function tableOf(unit: string, rows: readonly SummaryRow[], nameOf: (row: SummaryRow) => string): HTMLElement {
  const heads = [unit, ...states.map((it) => capitalized(words(it))), 'Score', 'Heart rate, bpm', 'Readings', 'Topics'];
  const lines = rows.map((row) => {
    const cells = [
      ...states.map((state) => (row.state_seconds[state] > 0 ? duration(row.state_seconds[state]) : '–')),
      describe(row.stress_score),
      describe(row.heart_rate),
      row.readings,
      row.topics.map(words).join(', '),
    ];
    return h('tr', {}, h('th', { scope: 'row' }, nameOf(row)), ...cells.map((cell) => h('td', {}, cell)));
  });
  const head = h('tr', {}, ...heads.map((name) => h('th', { scope: 'col' }, name)));
  return h('table', {}, h('thead', {}, head), h('tbody', {}, ...lines));
}

/** Returns e.g. `72 (58–96)`. */
function describe(range: SummaryRow['heart_rate']): string {
  return range ? `${Math.round(range.mean)} (${Math.round(range.min)}–${Math.round(range.max)})` : '–';
}
