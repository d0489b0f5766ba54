import { nowMs } from '../../ui/clock.js';
import { h } from '../../ui/dom.js';
import { say, sayDuration } from '../../sentence/messages.js';
import { measuredSeconds, measureStress } from '../../sentence/usual.js';
import type { SummaryRow } from '../../client/src/index.js';
import type { Page } from './link.js';
import { card, load } from './parts.js';
import { language, t, weekday } from './texts.js';

const days = 7;
const dayMs = 86_400_000;
const states = ['calm', 'relaxed', 'focused', 'stressed', 'acute_stress'] as const;

/** Returns the card with the last seven days: the share of each state, and the time of stress in words. */
export function createWeekCard(page: Page) {
  const place = h('div');
  load(page, place, async () => [h('ul.list.week', ...(await readDays(page)).map(showDay))], 'nothing_yet');
  return card('week', place);
}

interface Day {
  /** The start of the local date in UTC. */
  readonly atMs: number;
  readonly row: SummaryRow | undefined;
}

/** Returns the last days of the calendar, today first. */
async function readDays({ client, me, signal }: Page): Promise<Day[]> {
  const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const from = new Date(nowMs() - (days - 1) * dayMs).toISOString();
  const rows = new Map<string | undefined, SummaryRow>();
  for await (const row of client.summary(me, { interval: 'day', time_zone, from }, { signal })) rows.set(row.date, row);
  const now = new Date(nowMs());
  const todayMs = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  return Array.from({ length: days }, (_, index) => {
    const atMs = todayMs - index * dayMs;
    return { atMs, row: rows.get(new Date(atMs).toISOString().slice(0, 10)) };
  });
}

function showDay({ atMs, row }: Day) {
  const shares = states.map((state) => [state, row?.state_seconds[state] ?? 0] as const).filter(([, it]) => it > 0);
  const bars = shares.map(([state, seconds]) =>
    h(`span.${state}`, { style: `--share: ${seconds}`, title: say(language, state) }),
  );
  return h(
    'li',
    h('strong', weekday(atMs)),
    h('div.shares', { 'aria-hidden': 'true' }, ...bars),
    h('span.hint', describe(row)),
  );
}

function describe(row: SummaryRow | undefined): string {
  if (!row) return t('day_none');
  const measured = measuredSeconds([row]);
  if (measured === 0) return t('day_lone');
  const { seconds, lone } = measureStress([row]);
  if (lone > 0) return t('day_lone_stress');
  const values = { measured: sayDuration(language, measured), stress: sayDuration(language, seconds) };
  return t(seconds > 0 ? 'day_stress' : 'day_calm', values);
}
