import type { SessionSummary } from '../../../client/src/index.js';
import { timestamps } from '../../../../generated/spec.js';
import { h, show } from '../dom.js';
import { count, sum, words } from '../format.js';
import { button } from '../parts.js';
import { sessionLink } from '../router.js';
import { reasonOf, type Service } from '../service.js';
import { type Day, nameOfDates, nameOfInstant, periodAt } from './calendar.js';
import { loadDays } from './load-hours.js';

/** `replay --backfill` names its sessions so, with the day of their readings. */
const importedDay = /-import-(\d{4}-\d\d-\d\d)$/;
/** Sessions of one import are accepted within this time of each other. */
const importPauseMs = 900_000;

/** Returns the sessions of a person, newest first. The sessions of an import are one entry. */
export function createPersonSessions(service: Service, subjectId: string, signal: AbortSignal) {
  const [list, note] = [h('ul.person-sessions.list'), h('p.hint', 'Loading …')];
  const more = button('Load more', () => void load(cursor), { hidden: true });
  let sessions: readonly SessionSummary[] = [];
  let cursor: string | undefined;

  const loadPage = async (after: string | undefined) => {
    const filter = { subject_id: subjectId, ...(after !== undefined && { cursor: after }) };
    const page = await service.sessions(filter, { signal });
    sessions = after === undefined ? page.sessions : [...sessions, ...page.sessions];
    cursor = page.next_cursor ?? undefined;
    const groups = groupImports(sessions);
    const imports = groups.filter((group) => group.every(isImported)).map(daysOf);
    const draw = (figures: readonly string[] = []) =>
      show(list, ...groups.map((group) => entry(group, imports, figures)));
    draw();
    more.hidden = cursor === undefined;
    show(note, sessions.length === 0 && 'No session is stored. Sessions expire earlier than the history above.');
    countReadings(service, subjectId, imports, signal).then(draw, () => undefined);
  };
  const load = async (after?: string) => {
    more.disabled = true;
    await loadPage(after).catch((error: unknown) => signal.aborted || show(note, reasonOf(error)));
    more.disabled = false;
  };
  return { element: h('div', list, note, more), load };
}

/** Groups the sessions of an import. The service sorts sessions by the time at which it accepted their first reading. */
function groupImports(sessions: readonly SessionSummary[]): SessionSummary[][] {
  const groups: SessionSummary[][] = [];
  for (const session of sessions) {
    const last = groups.at(-1)?.at(-1);
    const pauseMs = last ? Date.parse(last.started_at) - Date.parse(session.started_at) : Infinity;
    if (last && isImported(last) && isImported(session) && pauseMs <= importPauseMs) groups.at(-1)?.push(session);
    else groups.push([session]);
  }
  return groups;
}

/**
 * Returns true if the session has the name of an import, or if its newest reading was too old for a live one when the
 * service accepted its first reading.
 */
function isImported({ session_id, started_at, timestamp }: SessionSummary): boolean {
  const passedMs = Date.parse(started_at) - Date.parse(timestamp);
  return importedDay.test(session_id) || passedMs > timestamps.max_age_seconds * 1_000;
}

/**
 * Returns the days of an import. The name of a session has the day of UTC. Its newest reading may be on the next day of the
 * reader's time zone.
 */
function daysOf(sessions: readonly SessionSummary[]): Day {
  const newest = sessions.map(({ timestamp }) => Date.parse(timestamp));
  const first = Math.min(...newest, ...sessions.map(dayOf));
  return {
    fromMs: periodAt('day', new Date(first)).fromMs,
    toMs: periodAt('day', new Date(Math.max(...newest))).toMs,
  };
}

/** Returns a time of the day in the name of the session, epoch ms. */
function dayOf({ session_id, timestamp }: SessionSummary): number {
  const [, date] = importedDay.exec(session_id) ?? [];
  // A client may use the form with a date that does not exist.
  return Date.parse(`${date}T12:00`) || Date.parse(timestamp);
}

/** Returns a text with the number of readings of each import. One request serves all of them. */
async function countReadings(service: Service, subjectId: string, imports: readonly Day[], signal: AbortSignal) {
  if (imports.length === 0) return [];
  const [fromMs, toMs] = [Math.min(...imports.map((it) => it.fromMs)), Math.max(...imports.map((it) => it.toMs))];
  const rows = await loadDays(service, subjectId, { fromMs, toMs }, signal);
  return imports.map((days) => {
    const shown = rows.filter(({ start }) => Date.parse(start) >= days.fromMs && Date.parse(start) < days.toMs);
    return `${count(sum(shown.map((it) => it.readings)), 'reading')} in these days, `;
  });
}

/** Returns a session, or the sessions of an import. An entry without the number of its readings is still complete. */
function entry(group: readonly SessionSummary[], imports: readonly Day[], figures: readonly string[]) {
  if (!group.every(isImported)) return h('li', ...group.map(sessionRow));
  const days = daysOf(group);
  const index = imports.findIndex(({ fromMs, toMs }) => fromMs === days.fromMs && toMs === days.toMs);
  const text = `${figures[index] ?? ''}${count(group.length, 'session')}`;
  const title = h('strong', `Import, ${nameOfDates(days.fromMs, days.toMs - 1)}`);
  const rows = h('ul', ...group.map((session) => h('li', sessionRow(session))));
  return h('li', h('details', h('summary', title, ' ', h('span.hint', text)), rows));
}

function sessionRow({ session_id, timestamp, state, stress_score }: SessionSummary) {
  return h(
    'span.line',
    h(`span.score-chip.${state}`, stress_score),
    h('a', { href: sessionLink(session_id) }, session_id),
    h('span.hint', `${words(state)}, newest reading ${nameOfInstant(Date.parse(timestamp))}`),
  );
}
