import type { SessionSummary } from '../../../client/src/index.js';
import { timestamps } from '../../../../generated/spec.js';
import { h, setText } from '../dom.js';
import { count, words } from '../format.js';
import { sessionLink } from '../router.js';
import { reasonOf, type Service } from '../service.js';
import { type Day, nameOfDates, nameOfInstant, periodAt, timeZone } from './calendar.js';
import { loadDays } from './load-hours.js';

/** `replay --backfill` names its sessions so, with the day of their readings. */
const importedDay = /-import-(\d{4}-\d\d-\d\d)$/;
/** Sessions of one import are accepted within this time of each other. */
const importPauseMs = 900_000;

/** Returns the sessions of a person, newest first. The sessions of an import are one entry. */
export function createPersonSessions(service: Service, subjectId: string, signal: AbortSignal) {
  const list = h('ul', { class: 'person-sessions' });
  const note = h('p', { class: 'hint' }, 'Loading …');
  const more = h('button', { type: 'button', class: 'secondary small', hidden: true }, 'Load more');
  let sessions: readonly SessionSummary[] = [];
  let cursor: string | undefined;

  /** One request for all imports. An entry without the number of its readings is still complete. */
  const countReadings = async (imports: readonly Import[]) => {
    const days = {
      fromMs: Math.min(...imports.map((it) => it.fromMs)),
      toMs: Math.max(...imports.map((it) => it.toMs)),
    };
    const rows = imports.length === 0 ? [] : await loadDays(service, subjectId, days, timeZone(), signal);
    for (const { fromMs, toMs, figures } of imports) {
      const shown = rows.filter(({ start }) => Date.parse(start) >= fromMs && Date.parse(start) < toMs);
      const readings = shown.reduce((sum, it) => sum + it.readings, 0);
      setText(figures, `${count(readings, 'reading')} in these days, ${figures.textContent}`);
    }
  };
  const loadPage = async (after: string | undefined) => {
    const filter = { subject_id: subjectId, ...(after !== undefined && { cursor: after }) };
    const page = await service.sessions(filter, { signal });
    sessions = after === undefined ? page.sessions : [...sessions, ...page.sessions];
    cursor = page.next_cursor ?? undefined;
    const imports: Import[] = [];
    const rows = groupImports(sessions).map((group) => {
      if (!group.every(isImported)) return h('li', {}, ...group.map(sessionRow));
      const made = createImport(group);
      imports.push(made);
      return made.element;
    });
    list.replaceChildren(...rows);
    more.hidden = cursor === undefined;
    note.hidden = sessions.length > 0;
    setText(note, 'No session is stored. Sessions expire earlier than the history above.');
    countReadings(imports).catch(() => undefined);
  };
  const load = async (after?: string) => {
    more.disabled = true;
    await loadPage(after).catch((error: unknown) => {
      note.hidden = signal.aborted;
      setText(note, reasonOf(error));
    });
    more.disabled = false;
  };
  more.addEventListener('click', () => void load(cursor));
  return { element: h('div', {}, list, note, more), load };
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

/** An entry for the sessions of an import. Its days begin and end at midnight. */
interface Import extends Day {
  readonly element: HTMLElement;
  readonly figures: HTMLElement;
}

function createImport(sessions: readonly SessionSummary[]): Import {
  // The name of a session has the day of UTC. Its newest reading may be on the next day of the reader's time zone.
  const newest = sessions.map(({ timestamp }) => Date.parse(timestamp));
  const [first, last] = [Math.min(...newest, ...sessions.map(dayOf)), Math.max(...newest)];
  const figures = h('span', { class: 'hint' }, count(sessions.length, 'session'));
  const rows = sessions.map((session) => h('li', {}, sessionRow(session)));
  const summary = h('summary', {}, h('strong', {}, `Import, ${nameOfDates(first, last)}`), ' ', figures);
  const element = h('li', {}, h('details', {}, summary, h('ul', {}, ...rows)));
  const [{ fromMs }, { toMs }] = [periodAt('day', new Date(first)), periodAt('day', new Date(last))];
  return { element, figures, fromMs, toMs };
}

/** Returns a time of the day that the session covers, epoch ms. */
function dayOf({ session_id, timestamp }: SessionSummary): number {
  const [, date] = importedDay.exec(session_id) ?? [];
  // A client may use the form with a date that does not exist.
  return Date.parse(`${date}T12:00`) || Date.parse(timestamp);
}

function sessionRow({ session_id, timestamp, state, stress_score }: SessionSummary): HTMLElement {
  return h(
    'span',
    { class: 'session-row' },
    h('span', { class: `score-chip ${state}` }, stress_score),
    h('a', { href: sessionLink(session_id) }, session_id),
    h('span', { class: 'hint' }, `${words(state)}, newest reading ${nameOfInstant(Date.parse(timestamp))}`),
  );
}
