import type { SessionSummary } from '../../../../clients/typescript/src/index.js';
import { timestamps } from '../../../../generated/spec.js';
import { h, setText } from '../dom.js';
import { count, words } from '../format.js';
import { sessionLink } from '../router.js';
import { reasonOf, type Service } from '../service.js';
import { type Day, nameOfDates, nameOfInstant, periodAt, timeZone } from './calendar.js';
import { loadDays } from './load-hours.js';

/** Sessions of one import are accepted within this time of each other. */
const importPauseMs = 900_000;

export interface PersonSessions {
  readonly element: HTMLElement;
  /** Shows the first page, or the reason why the service did not send it. */
  load(): Promise<void>;
}

/** Returns the sessions of a person, newest first. The sessions of an import are one entry. */
export function createPersonSessions(service: Service, subjectId: string, signal: AbortSignal): PersonSessions {
  const list = h('ul', { class: 'person-sessions' });
  const note = h('p', { class: 'hint' }, 'Loading …');
  const more = h('button', { type: 'button', class: 'secondary small', hidden: true }, 'Load more');
  let sessions: readonly SessionSummary[] = [];
  let cursor: string | undefined;

  const readingsOf = async ({ fromMs, toMs }: Day) => {
    const days = { fromMs: periodAt('day', new Date(fromMs)).fromMs, toMs: periodAt('day', new Date(toMs)).toMs };
    const rows = await loadDays(service, subjectId, days, timeZone(), signal);
    return rows.reduce((sum, { readings }) => sum + readings, 0);
  };
  const toRow = ({ sessions: [first, ...others], isImport }: Entry) => {
    if (!first) return '';
    if (!isImport) return h('li', {}, sessionRow(first));
    const days = [first, ...others].map(dayOf);
    const range = { fromMs: Math.min(...days), toMs: Math.max(...days) };
    const figures = h('span', { class: 'hint' }, count(others.length + 1, 'session'));
    // The charts of the page show the same days. Without their number of readings, the entry is still complete.
    readingsOf(range).then(
      (readings) => setText(figures, `${count(readings, 'reading')} in these days, ${figures.textContent}`),
      () => undefined,
    );
    return importRow([first, ...others], range, figures);
  };
  const loadPage = async (after: string | undefined) => {
    const filter = { subject_id: subjectId, ...(after !== undefined && { cursor: after }) };
    const page = await service.sessions(filter, { signal });
    sessions = after === undefined ? page.sessions : [...sessions, ...page.sessions];
    cursor = page.next_cursor ?? undefined;
    list.replaceChildren(...entriesOf(sessions).map(toRow));
    more.hidden = cursor === undefined;
    note.hidden = sessions.length > 0;
    setText(note, 'No session is stored. Sessions expire earlier than the history above.');
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

interface Entry {
  readonly sessions: readonly SessionSummary[];
  readonly isImport: boolean;
}

/** Groups the sessions of an import. The service sorts sessions by the time at which it accepted their first reading. */
function entriesOf(sessions: readonly SessionSummary[]): Entry[] {
  const groups: SessionSummary[][] = [];
  for (const session of sessions) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && isSameImport(last, session)) group.push(session);
    else groups.push([session]);
  }
  return groups.flatMap((group): Entry[] => {
    const isImport = group.some(isBackfilled);
    return isImport ? [{ sessions: group, isImport }] : group.map((it) => ({ sessions: [it], isImport }));
  });
}

/** The last day of an import may be today. Its session is known by its name only. */
function isSameImport(newer: SessionSummary, older: SessionSummary): boolean {
  const pauseMs = Date.parse(newer.started_at) - Date.parse(older.started_at);
  const name = datedName(newer.session_id)?.name;
  const isNamedAlike = name !== undefined && name === datedName(older.session_id)?.name;
  return pauseMs <= importPauseMs && (isNamedAlike || (isBackfilled(newer) && isBackfilled(older)));
}

/**
 * Returns true if the session has backfilled readings only: its newest reading was too old for a live one when the
 * service accepted its first reading.
 */
function isBackfilled({ started_at, timestamp }: SessionSummary): boolean {
  return Date.parse(started_at) - Date.parse(timestamp) > timestamps.max_age_seconds * 1_000;
}

/** Returns the parts of a session id that ends with a date, as an import names its sessions. */
function datedName(sessionId: string): { readonly name: string; readonly dayMs: number } | undefined {
  const [, name = '', date = ''] = /^(.*)-(\d{4}-\d\d-\d\d)(?:T\d\d)?$/.exec(sessionId) ?? [];
  const dayMs = Date.parse(`${date}T12:00`);
  return Number.isNaN(dayMs) ? undefined : { name, dayMs };
}

/** Returns a time of the day that the session covers, epoch ms. */
function dayOf({ session_id, timestamp }: SessionSummary): number {
  return datedName(session_id)?.dayMs ?? Date.parse(timestamp);
}

function importRow(sessions: readonly SessionSummary[], { fromMs, toMs }: Day, figures: HTMLElement): HTMLElement {
  const title = `Import, ${nameOfDates(fromMs, toMs)}`;
  const rows = sessions.map((session) => h('li', {}, sessionRow(session)));
  const summary = h('summary', {}, h('strong', {}, title), ' ', figures);
  return h('li', {}, h('details', {}, summary, h('ul', {}, ...rows)));
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
