import { writeHeadline } from '../../sentence/headline.js';
import { describePerson, isLiveState } from '../../sentence/sentence.js';
import { type Part, sayWithout } from '../../sentence/without.js';
import { comparedDays } from '../../sentence/usual.js';
import { nowMs } from '../../ui/clock.js';
import { h, show } from '../../ui/dom.js';
import type { StateReading, SummaryRow } from '../../client/src/index.js';
import { ifUnknown, isUnknown, type Page } from './link.js';
import { button, createStatus } from '../../ui/parts.js';
import { createDispute } from './dispute.js';
import { card } from './parts.js';
import { language, t } from './texts.js';

/** Pause between two requests while readings arrive, and without any, in ms. */
const [pauseMs, idleMs] = [5_000, 60_000];

/**
 * Returns the card with one line about now or today, what is behind it, and a way to dispute it. It follows the readings of
 * the person. `onDisputed` runs after measurements were scored again.
 */
export function createTodayCard(page: Page, onDisputed: () => void) {
  const sentence = h('p.sentence', { role: 'status' }, t('loading'));
  const guide = h('a', { href: '../docs/not-stressed/' }, t('why_wrong'));
  const [reasons, why] = [h('p.reasons'), h('details', { hidden: true }, h('summary', t('why')))];
  const [parts, left] = [h('p.line'), createStatus('p')];
  why.append(reasons, parts, left.element, h('p.hint', guide));
  const disputed = () => {
    void refresh();
    onDisputed();
  };
  const element = card('now', sentence, why, page.may('read') && page.may('dispute') && createDispute(page, disputed));
  let isLoading = false;
  /** The shown state, if it is live, and the part that the person tapped. */
  let [shown, chosen]: [StateReading?, Part?] = [];
  const sayLeft = () => left.say(shown && chosen ? sayWithout(shown, chosen, language, true) : '');
  const choose = (part: Part) => {
    chosen = part;
    sayLeft();
  };

  async function refresh(): Promise<void> {
    if (isLoading || page.signal.aborted || document.hidden) return;
    isLoading = true;
    try {
      const present = await readPresent(page);
      show(sentence, isDisputed(present) ? t('disputed_now') : writeHeadline(present, language));
      show(reasons, describePerson(present, language));
      shown = present.state && isLiveState(present.state, present.nowMs) ? present.state : undefined;
      const tapped = partNames.filter((it) => shown?.without?.[it]);
      show(
        parts,
        tapped.length > 0 && h('span.hint', t('parts')),
        tapped.map((it) => button(namePart(it, shown), () => choose(it))),
      );
      sayLeft();
      why.hidden = isDisputed(present);
    } catch (error) {
      why.hidden ||= isUnknown(error);
      if (!page.signal.aborted) show(sentence, t(isUnknown(error) ? 'nothing_yet' : 'no_contact'));
    }
    isLoading = false;
  }

  if (page.may('read')) {
    void refresh();
    void follow(page, () => void refresh());
    const timer = setInterval(() => void refresh(), idleMs);
    page.signal.addEventListener('abort', () => clearInterval(timer));
    document.addEventListener('visibilitychange', () => void refresh(), { signal: page.signal });
  }
  return { element, refresh: () => void refresh() };
}

/** Returns true if the person disputes the newest measurement. The current state follows the next one. */
function isDisputed({ state, points }: Present): boolean {
  const newest = points.at(-1);
  return newest?.scored_before !== undefined && newest.timestamp === state?.timestamp;
}

const partNames = ['cardiovascular', 'vocal', 'visual', 'textual', 'other_session'] as const;

/** Returns e.g. `voice +11`. */
function namePart(part: Part, state: StateReading | undefined): string {
  const points = state?.contributions?.[part] ?? 0;
  return `${t(part)} ${points < 0 ? '−' : '+'}${Math.abs(points)}`;
}

type Present = Awaited<ReturnType<typeof readPresent>>;

async function readPresent({ client, me, signal }: Page) {
  const atMs = nowMs();
  const from = new Date(atMs - comparedDays * 86_400_000).toISOString();
  const [profile, state, history, triggers] = await Promise.all([
    client.subject(me, { signal }),
    client.state({ subject_id: me }, { signal }).catch(ifUnknown),
    client.history({ subject_id: me }, 15, { signal }).catch(ifUnknown),
    client.triggers(me, { signal }).catch(ifUnknown),
  ]);
  // After the removal of the last topic there are none.
  const topics = triggers ?? { active: [], triggers: {} };
  const hours: SummaryRow[] = [];
  let absences;
  for await (const page of client.summary(me, { interval: 'hour', from }, { signal }).pages()) {
    hours.push(...page.rows);
    absences = page.not_observed;
  }
  const { first_session_started_at: first, baseline } = profile;
  const firstMs = first ? Date.parse(first) : undefined;
  const known = { points: history?.datapoints ?? [], baseline, firstMs, triggers: topics, isToPerson: true };
  return { nowMs: atMs, state, hours, absences, ...known };
}

/** Calls the function after readings, at most once per pause, until the link ends. */
async function follow({ client, me, signal }: Page, onReading: () => void): Promise<void> {
  const patience = { maxRetries: Infinity, waitBudgetMs: Infinity };
  let lastMs = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const report = () => {
    [timer, lastMs] = [undefined, performance.now()];
    onReading();
  };
  try {
    // Also after the last reading of a burst.
    for await (const _ of client.stream({ events: 'reading', subjectId: me }, { signal, ...patience }))
      timer ??= setTimeout(report, lastMs + pauseMs - performance.now());
  } catch {
    // The sentence is refreshed without a stream, too.
  }
}
