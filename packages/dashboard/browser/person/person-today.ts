import { h, show } from '../../../ui/dom.js';
import { hasEnded, shownState } from '../../../ui/format.js';
import { nowMs, type Service } from '../service.js';
import * as calendar from '../../../sentence/calendar.js';
import { dayChart } from './day-chart.js';
import { loadDays, type LoadedHours, loadHours } from './hours.js';
import { writeHeadline } from '../../../sentence/headline.js';
import { describePerson, type Present } from '../../../sentence/sentence.js';
import { comparedDays } from '../../../sentence/usual.js';

const dayMs = 86_400_000;
/** The service keeps hours for 90 days by default. */
const keptDays = 90;

/**
 * Returns the first line about a person with its reasons, and the newest measured day beside the usual scores of other days. `readPresent` returns
 * what the page knows about the present state, and `controls` are beside the title of the day.
 */
export function createTodayCard(
  service: Service,
  subjectId: string,
  signal: AbortSignal,
  readPresent: () => Omit<Present, 'hours' | 'absences' | 'nowMs' | 'firstMs'>,
  ...controls: readonly HTMLElement[]
) {
  const [title, chart] = [h('h2', { id: 'card-today' }), h('div.chart')];
  let known: LoadedHours | undefined;
  let firstMs: number | undefined;
  const dayOf = (atMs: number) => calendar.periodAt('day', new Date(atMs));
  const draw = () => {
    if (!known) return;
    const { hours } = known;
    const [now, present] = [nowMs(), readPresent()];
    const all = { ...present, ...known, nowMs: now, firstMs };
    show(headline, writeHeadline(all));
    show(reasons, describePerson(all));
    const isLive = present.state && !hasEnded(Date.parse(present.state.timestamp), now);
    headline.className = `sentence ${isLive && present.state ? shownState(present.state) : 'ended'}`;
    const newestMs = hours.findLast((it) => it.stress_score)?.atMs;
    element.hidden = newestMs === undefined;
    if (newestMs === undefined) return;
    const day = dayOf(newestMs);
    show(title, `${now < day.toMs ? 'Today' : calendar.days.format(day.fromMs)} and usual days`);
    show(chart, dayChart(day, hours, firstMs));
  };
  const [headline, reasons] = [h('p.sentence', { role: 'status' }), h('p.reasons')];
  const why = h('details', h('summary', 'Why?'), reasons);
  const element = h(
    'section.card',
    { 'aria-labelledby': 'card-today', hidden: true },
    h('div.line.between', title, controls),
    chart,
  );
  return {
    sentence: h('div', headline, why),
    element,
    draw,
    /** Returns the start of the first day of which the service has data, epoch ms. */
    firstMs: () => firstMs,
    async load() {
      const toMs = nowMs();
      const since = (days: number) => ({ fromMs: toMs - days * dayMs, toMs });
      const [[first], loaded] = await Promise.all([
        loadDays(service, subjectId, since(keptDays), signal),
        loadHours(service, subjectId, since(comparedDays), signal),
      ]);
      firstMs = first && Date.parse(first.start);
      known = loaded;
      draw();
    },
    /** Requests the hours of today again, or all hours if they have not loaded. */
    async refresh() {
      if (!known) return this.load();
      const today = dayOf(nowMs());
      const loaded = await loadHours(service, subjectId, today, signal);
      const absences = known.absences.filter(({ to }) => Date.parse(to) <= today.fromMs);
      known = {
        hours: [...known.hours.filter(({ atMs }) => atMs < today.fromMs), ...loaded.hours],
        absences: [...absences, ...loaded.absences],
      };
      draw();
    },
  };
}
