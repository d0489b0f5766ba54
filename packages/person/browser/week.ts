import { nowMs } from '../../ui/clock.js';
import { h } from '../../ui/dom.js';
import { say, sayDuration } from '../../sentence/messages.js';
import { countNotObserved, measuredSeconds, measureStress } from '../../sentence/usual.js';
import type { SubjectSummary, SummaryRow } from '../../client/src/index.js';
import type { Page } from './link.js';
import { card, load } from './parts.js';
import { language, t, weekday } from './texts.js';

const days = 7;
const dayMs = 86_400_000;
const states = ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'] as const;

/** Returns the card with the last seven days: the share of each state, and the time of stress in words. */
export function createWeekCard(page: Page) {
  const place = h('div');
  const read = async () => [legend(), h('ul.list.week', ...(await readDays(page)).map(showDay))];
  const refresh = () => load(page, place, read, 'nothing_yet');
  refresh();
  return { element: card('week', place), refresh };
}

/** Returns the names of the colors. */
function legend() {
  return h(
    'ul.legend.line.hint',
    h('li', t('shares')),
    ...states.map((state) => h(`li.banded.${state}`, say(language, state))),
  );
}

interface Day {
  /** The start of the local date in UTC. */
  readonly atMs: number;
  readonly row: SummaryRow | undefined;
  /** Time in which the service did not run, in seconds. */
  readonly absent: number;
}

/** Returns the last days of the calendar, today first. */
async function readDays({ client, me, signal }: Page): Promise<Day[]> {
  const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const from = new Date(nowMs() - (days - 1) * dayMs).toISOString();
  const rows = new Map<string | undefined, SummaryRow>();
  let absences: NonNullable<SubjectSummary['not_observed']> = [];
  for await (const page of client.summary(me, { interval: 'day', time_zone, from }, { signal }).pages()) {
    for (const row of page.rows) rows.set(row.date, row);
    absences = page.not_observed ?? [];
  }
  const now = new Date(nowMs());
  const todayMs = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: days }, (_, index) => {
    const atMs = todayMs - index * dayMs;
    const midnight = (ago: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - ago).getTime();
    const absent = countNotObserved(absences, midnight(index), midnight(index - 1));
    return { atMs, row: rows.get(new Date(atMs).toISOString().slice(0, 10)), absent };
  });
}

function showDay({ atMs, row, absent }: Day, index: number) {
  const shares = states.map((state) => [state, row?.state_seconds[state] ?? 0] as const).filter(([, it]) => it > 0);
  const bars = shares.map(([state, seconds]) =>
    h(`span.${state}`, { style: `--share: ${seconds}`, title: say(language, state) }),
  );
  return h(
    'li',
    h('strong', index === 0 ? t('today') : weekday(atMs)),
    h('div.shares', { 'aria-hidden': 'true' }, ...bars),
    h('span.hint', [describe(row), absent >= 60 && sayAbsent(absent)].filter(Boolean).join('; ')),
  );
}

const sayAbsent = (seconds: number) => say(language, 'not_observed', { time: sayDuration(language, seconds) });

function describe(row: SummaryRow | undefined): string {
  if (!row) return t('day_none');
  const measured = measuredSeconds([row]);
  if (measured === 0) return t('day_lone');
  const { seconds, lone } = measureStress([row]);
  if (lone > 0) return t('day_lone_stress');
  const values = { measured: sayDuration(language, measured), stress: sayDuration(language, seconds) };
  return t(seconds > 0 ? 'day_stress' : 'day_calm', values);
}
