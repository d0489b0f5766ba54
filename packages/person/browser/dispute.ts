import type { Fact, FactSubmission, HistoryDatapoint } from '../../client/src/index.js';
import { facts } from '../../../generated/spec.js';
import { nowMs } from '../../ui/clock.js';
import { h } from '../../ui/dom.js';
import { button, createField, createStatus } from '../../ui/parts.js';
import type { Page } from './link.js';
import { attempt, load } from './parts.js';
import { period, t } from './texts.js';

const [minuteMs, hourMs] = [60_000, 3_600_000];
/** What a person can state, in the order of the buttons. */
const kinds = ['exercise', 'rest', 'not_worn', 'other_person'] as const;
type Kind = (typeof kinds)[number];
const isKind = (kind: Fact['kind']): kind is Kind => (kinds as readonly string[]).includes(kind);
/** Length of a history, in minutes. */
const historyMinutes = 60;

/**
 * Returns what the person can state about measurements of the past that are not right, and what was stated, which can be
 * undone. `onChanged` runs after the measurements were scored again.
 */
export function createDispute(page: Page, onChanged: () => void): HTMLElement {
  const { client, me, signal } = page;
  const [outcome, stated] = [createStatus(), h('div')];
  const from = h('input', { type: 'datetime-local', value: toLocal(nowMs() - hourMs), required: true });
  const until = h('input', { type: 'datetime-local' });

  const state = (kind: Kind) => async () => {
    const end = until.value === '' ? nowMs() : Date.parse(until.value);
    const times = { start: toInstant(Date.parse(from.value)), end: toInstant(end) };
    const fact: FactSubmission = { subject_id: me, kind, ...times };
    await client.putFact(crypto.randomUUID(), fact, { signal });
    show();
    onChanged();
    return t('disputed', { what: t(`dispute_${kind}`), change: await describeChange(page, end) });
  };
  const undo = (fact: Fact) => async () => {
    await client.deleteFact(fact.fact_id, me, { signal });
    show();
    onChanged();
    return t('undone');
  };
  const showStated = (fact: Fact) => {
    const [what, when] = [isKind(fact.kind) ? t(`dispute_${fact.kind}`) : fact.kind, describeTime(fact)];
    const undoes = button(t('undo'), attempt(outcome, undo(fact)), { 'aria-label': `${t('undo')}: ${what}, ${when}` });
    return h('li', h('span.line.between', h('span', h('strong', what), ` – ${when}`), undoes));
  };
  const read = async () => {
    const own: Fact[] = [];
    for await (const fact of client.facts(me, {}, { signal }))
      if (fact.source === facts.disputes.source) own.push(fact);
    return own.length === 0 ? [] : [h('ul.list', ...own.reverse().map(showStated))];
  };
  const show = () => load(page, stated, read, 'nothing_yet');
  show();

  const buttons = kinds.map((kind) =>
    h('button.secondary', { type: 'button', onclick: attempt(outcome, state(kind)) }, t(`dispute_${kind}`)),
  );
  const feel = page.may('feedback') && h('p.hint', h('a', { href: '#card-feel' }, t('dispute_else')));
  const times = [createField(t('dispute_from'), from), createField(t('dispute_until'), until)];
  return h(
    'details.dispute',
    h('summary', t('dispute')),
    h('p.hint', t('dispute_text', { hours: facts.disputes.hours_max })),
    h('div.line', ...times.map(({ element }) => element)),
    h('div.feelings', ...buttons),
    outcome.element,
    feel,
    stated,
  );
}

/** Returns what has become of the scores of the hour up to a time. */
async function describeChange({ client, me, signal }: Page, endMs: number): Promise<string> {
  const until = toInstant(endMs);
  const { datapoints } = await client.history({ subject_id: me }, historyMinutes, { until, signal });
  const changed = datapoints.filter(({ scored_before }) => scored_before !== undefined);
  if (changed.length === 0) return t('change_none');
  const left = changed.filter(({ confidence }) => confidence > 0);
  const before = average(changed, ({ scored_before = 0 }) => scored_before);
  if (left.length === 0) return t('change_unknown', { count: changed.length, before });
  return t('change', { count: changed.length, before, after: average(left, ({ stress_score }) => stress_score) });
}

function average(points: readonly HistoryDatapoint[], pick: (point: HistoryDatapoint) => number): number {
  return Math.round(points.reduce((sum, it) => sum + pick(it), 0) / points.length);
}

const describeTime = ({ start, end = start }: Fact) => period(Date.parse(start), Date.parse(end));

const toInstant = (ms: number) => new Date(ms).toISOString();

/** Returns a time as a field for local times has it, to the minute. */
function toLocal(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * minuteMs;
  return new Date(ms - offsetMs).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}
