import { ProblemError, type History, type StateReading, type TriggerProfile } from '../../client/src/index.js';
import { createAdviceCard, createScoreCard, createSignalsCard, showTriggers } from './cards.js';
import { createChart } from './chart/chart.js';
import { h, setTitle, show } from './dom.js';
import { createFeedbackCard } from './feedback.js';
import { age, hasEnded, words } from './format.js';
import { card, controlledCard, createChoice, createStatus } from './parts.js';
import { type Point, withHistory, withReading } from './points.js';
import { personLink } from './router.js';
import { everySecond, followHistory, nowMs, reasonOf, refreshedMinutes, type Service } from './service.js';
import type { Sessions } from './sessions.js';

const noData = 'No readings of this session are stored.';
const windows = [5, 15, 30, 60].map((it) => [it, `${it} min`] as const);
const firstWindow = 15;

export type SessionView = ReturnType<typeof createSessionView>;

/** Returns the view of one session. It follows the stream, and requests the history for heart rates and the trend. */
export function createSessionView(service: Service, sessions: Sessions, sessionId: string, emptyText = noData) {
  const closed = new AbortController();
  const { signal } = closed;
  const [score, advice, chart, signals] = [createScoreCard(), createAdviceCard(), createChart(), createSignalsCard()];
  const range = createChoice({ name: 'minutes', legend: 'Window' }, windows, () => void loadWindow());
  range.choose(firstWindow);
  const [facts, message, triggers] = [h('p.hint.line'), createStatus('p.notice'), h('div')];
  const history = controlledCard('History', [range.element], chart.element);
  history.classList.add('wide');
  const cards = h(
    'div.cards.two',
    { hidden: true },
    score.element,
    advice.element,
    history,
    signals.element,
    card('Triggers of the subject', triggers),
    createFeedbackCard(service, { session_id: sessionId }),
  );
  const back = h('a.back', { href: '#/' }, '← All sessions');
  const element = h(
    'article.session',
    back,
    h('header.line', h('h1', { tabindex: -1 }, sessionId), facts),
    message.element,
    cards,
  );
  let points: readonly Point[] = [];
  let newest: StateReading | undefined;
  let trend: History['trend'] | undefined;
  /** Undefined until the triggers have been requested. Null: for no subject. */
  let shownSubject: string | null | undefined;

  const draw = () => {
    const now = nowMs();
    chart.draw({ points, minutes: minutes(), nowMs: now });
    signals.show(points, now);
    if (newest === undefined) return;
    const atMs = Date.parse(newest.timestamp);
    const isPast = hasEnded(atMs, now);
    element.toggleAttribute('data-ended', isPast);
    score.show(newest, now, points.findLast((it) => it.atMs === atMs)?.confidence, trend);
    advice.show(newest, isPast);
    const subject = sessions.find(sessionId)?.subject_id;
    const link = subject !== undefined && h('a', { href: personLink(subject) }, `Subject ${subject}`);
    show(facts, link, !isPast && h('span.hint', `Newest reading ${age(atMs, now)}`));
    // The reader may be on another page meanwhile.
    const state = isPast ? 'ended' : `${newest.stress_score} ${words(newest.state)}`;
    if (element.isConnected) setTitle(`${state} · ${sessionId}`);
  };
  const newestMs = () => (newest ? Date.parse(newest.timestamp) : Number.NEGATIVE_INFINITY);
  const take = (reading: StateReading) => {
    if (Date.parse(reading.timestamp) >= newestMs()) newest = reading;
    message.say('');
    cards.hidden = false;
  };
  const stored = followHistory(service, sessionId, signal, (loaded, untilMs) => {
    points = withHistory(points, loaded, untilMs);
    if (loaded.minutes === refreshedMinutes) trend = loaded.trend;
    draw();
  });
  const minutes = () => range.value() ?? firstWindow;
  /** Requests the newest minutes. Those of a session that has ended are in the past. */
  const loadNewest = (length: number) => stored.load(length, hasEnded(newestMs(), nowMs()) ? newestMs() : undefined);
  const loadWindow = () => loadNewest(minutes()).catch(showFault);
  const load = async () => {
    // Requesting a session without data would be an error, so the list of sessions is searched first.
    await sessions.search(sessionId);
    if (sessions.find(sessionId) === undefined && !sessions.hasMore()) return message.say(emptyText);
    take(await service.state(sessionId, { signal }));
    await loadNewest(refreshedMinutes);
    await loadNewest(minutes());
    tick();
  };
  const showFault = (error: unknown) => {
    if (!signal.aborted) message.say(reasonOf(error));
  };
  /** The subject of a new session becomes known after its first reading. */
  const tick = () => {
    const subjectId = sessions.find(sessionId)?.subject_id;
    const isNew = newest !== undefined && shownSubject !== (subjectId ?? null);
    if (isNew) {
      shownSubject = subjectId ?? null;
      loadTriggers(service, subjectId, signal).then(
        (profile) => showTriggers(triggers, profile, nowMs()),
        (error: unknown) => show(triggers, h('p.hint', reasonOf(error))),
      );
    }
    draw();
  };
  setTitle(sessionId);
  message.say('Loading …');
  load().catch(showFault);
  everySecond(signal, tick);
  return {
    element,
    sessionId,
    receive(reading: StateReading) {
      take(reading);
      points = withReading(points, reading);
      if (reading.topics_detected.length > 0) shownSubject = undefined;
      draw();
      stored.refresh();
    },
    close() {
      closed.abort();
      setTitle();
    },
  };
}

/** Returns the topics of a person. Without a person: undefined. */
async function loadTriggers(
  service: Service,
  subject_id: string | undefined,
  signal: AbortSignal,
): Promise<TriggerProfile | undefined> {
  if (subject_id === undefined) return undefined;
  return service.triggers(subject_id, { signal }).catch((error: unknown) => {
    if (!(error instanceof ProblemError && error.code === 'subject_not_found')) throw error;
    return { subject_id, triggers: {}, active: [], resolved: [] };
  });
}
