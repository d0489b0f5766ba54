import type { SessionSummary } from '../../../client/src/index.js';
import { h, show } from '../../../ui/dom.js';
import { count, shownState, words } from '../../../ui/format.js';
import { button } from '../../../ui/parts.js';
import { sessionLink } from '../router.js';
import { reasonOf, type Service } from '../service.js';
import { type Day, dates, instants, periodAt } from '../../../sentence/calendar.js';

/** `tools import --backfill` names its sessions so, with the day of their readings. */
const importedDay = /-import-(\d{4}-\d\d-\d\d)$/;
/** Sessions of one import are accepted within this time of each other. */
const importPauseMs = 900_000;

/** A session, or the sessions of an import. */
interface Entry {
  readonly sessions: readonly SessionSummary[];
  /** The days of an import. */
  readonly days: Day | undefined;
}

/** Returns the sessions of a person, newest first. The sessions of an import are one entry. */
export function createPersonSessions(service: Service, subjectId: string, signal: AbortSignal) {
  const [list, note] = [h('ul.person-sessions.list'), h('p.hint', 'Loading …')];
  const more = button('Load more', () => void load(cursor), { hidden: true });
  let sessions: readonly SessionSummary[] = [];
  let cursor: string | undefined;

  const load = async (after?: string) => {
    try {
      const filter = { subject_id: subjectId, ...(after !== undefined && { cursor: after }) };
      const page = await service.sessions(filter, { signal });
      sessions = after === undefined ? page.sessions : [...sessions, ...page.sessions];
      cursor = page.next_cursor ?? undefined;
      more.hidden = cursor === undefined;
      show(note, sessions.length === 0 && 'No session is stored. Sessions expire earlier than the history above.');
      show(list, ...groupImports(sessions).map(entryRow));
    } catch (error) {
      if (!signal.aborted) show(note, reasonOf(error));
    }
  };
  return { element: h('div', list, note, more), load };
}

/** Groups the sessions of an import. The service sorts sessions by the time at which it accepted their first reading. */
function groupImports(sessions: readonly SessionSummary[]): Entry[] {
  const groups: SessionSummary[][] = [];
  for (const session of sessions) {
    const last = groups.at(-1)?.at(-1);
    const pauseMs = last ? Date.parse(last.started_at) - Date.parse(session.started_at) : Infinity;
    if (last && isImported(last) && isImported(session) && pauseMs <= importPauseMs) groups.at(-1)?.push(session);
    else groups.push([session]);
  }
  return groups.map((group) => ({ sessions: group, days: group.every(isImported) ? daysOf(group) : undefined }));
}

function isImported({ session_id }: SessionSummary): boolean {
  return importedDay.test(session_id);
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

function entryRow({ sessions, days }: Entry) {
  if (!days) return h('li', ...sessions.map(sessionRow));
  const title = h('strong', `Import, ${dates.formatRange(days.fromMs, days.toMs - 1)}`);
  const rows = h('ul', ...sessions.map((session) => h('li', sessionRow(session))));
  const text = h('span.hint', count(sessions.length, 'session'));
  return h('li', h('details', h('summary', title, ' ', text), rows));
}

function sessionRow(session: SessionSummary) {
  const { session_id, timestamp, stress_score, evidence } = session;
  const state = shownState(session);
  return h(
    'span.line',
    h(`span.score-chip.${state}`, evidence ? '–' : stress_score),
    h('a', { href: sessionLink(session_id) }, session_id),
    h('span.hint', `${words(state)}, newest reading ${instants.format(Date.parse(timestamp))}`),
  );
}
