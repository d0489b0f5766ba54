import type { StateReading } from '../../client/src/index.js';
import { createAdviceCard } from './advice-card.js';
import { createChart } from './chart/chart.js';
import { nowMs } from './clock.js';
import { age, hasEnded, words } from './format.js';
import { h, setText, setTitle } from './dom.js';
import { createFeedbackCard } from './feedback/feedback-card.js';
import { createRangeChoice } from './range-choice.js';
import { createScoreCard } from './score-card.js';
import { personLink } from './router.js';
import { reasonOf, type Service } from './service.js';
import { createSessionData } from './session-data.js';
import type { Sessions } from './sessions.js';
import { createSignalsCard } from './signals-card.js';
import { createTriggersCard } from './triggers-card.js';

const tickMs = 1_000;
const noData = 'No readings of this session are stored.';

export type SessionView = ReturnType<typeof createSessionView>;

/** Returns the view of one session. It follows the stream, and requests the history for heart rates and the trend. */
export function createSessionView(service: Service, sessions: Sessions, sessionId: string, emptyText = noData) {
  const closed = new AbortController();
  const { signal } = closed;
  const [score, advice, chart] = [createScoreCard(), createAdviceCard(), createChart()];
  const [signals, triggers] = [createSignalsCard(), createTriggersCard(service)];
  const range = createRangeChoice(() => void data.loadHistory(range.minutes()).catch(showFault));
  const frame = createFrame(sessionId, [
    score.element,
    advice.element,
    chartCard(range.element, chart.element),
    signals.element,
    triggers.element,
    createFeedbackCard(service, { session_id: sessionId }),
  ]);
  let newest: StateReading | undefined;
  /** Undefined until the triggers have been requested. Null: for no subject. */
  let shownSubject: string | null | undefined;

  const draw = () => {
    const now = nowMs();
    chart.draw({ points: data.points, minutes: range.minutes(), nowMs: now });
    signals.tick(now);
    if (newest === undefined) return;
    const atMs = Date.parse(newest.timestamp);
    const isPast = hasEnded(atMs, now);
    frame.article.toggleAttribute('data-ended', isPast);
    score.tick(atMs, now, data.points.findLast((it) => it.atMs === atMs)?.confidence);
    advice.tick(isPast);
    frame.passed.hidden = isPast;
    setText(frame.passed, `Newest reading ${age(atMs, now)}`);
    // The reader may be on another page meanwhile.
    if (frame.article.isConnected)
      setTitle(`${isPast ? 'ended' : `${newest.stress_score} ${words(newest.state)}`} · ${sessionId}`);
  };
  const data = createSessionData({
    service,
    sessions,
    sessionId,
    signal,
    onReading(reading) {
      newest = reading;
      score.show(reading);
      advice.show(reading);
      frame.showCards();
    },
    onPoints() {
      signals.receive(data.points);
      draw();
    },
    onTrend: score.showTrend,
  });
  const loadTriggers = async (subjectId: string | undefined) => {
    frame.showSubject(subjectId);
    await triggers.load(subjectId, nowMs());
  };
  const showFault = (error: unknown) => {
    if (!signal.aborted) frame.say(reasonOf(error));
  };
  /** The subject of a new session becomes known after its first reading. */
  const tick = () => {
    const subjectId = sessions.find(sessionId)?.subject_id;
    const isNew = newest !== undefined && shownSubject !== (subjectId ?? null);
    if (isNew) shownSubject = subjectId ?? null;
    if (isNew) loadTriggers(subjectId).catch(showFault);
    draw();
  };
  const receive = (reading: StateReading) => {
    data.add(reading);
    if (reading.topics_detected.length > 0) shownSubject = undefined;
  };
  const load = async () => {
    if (!(await data.load(range.minutes()))) return frame.say(emptyText);
    tick();
  };
  setTitle(sessionId);
  load().catch(showFault);
  const timer = setInterval(tick, tickMs);
  return {
    element: frame.article,
    sessionId,
    receive,
    close() {
      closed.abort();
      clearInterval(timer);
      setTitle();
    },
  };
}

function chartCard(range: HTMLElement, chart: HTMLElement): HTMLElement {
  const head = h('div', { class: 'card-head' }, h('h2', { id: 'chart-title' }, 'History'), range);
  return h('section', { class: 'card wide', 'aria-labelledby': 'chart-title' }, head, chart);
}

/** Returns the parts of the page around the cards. The cards are hidden until there is a reading. */
function createFrame(sessionId: string, shown: readonly HTMLElement[]) {
  const passed = h('span', { class: 'hint' });
  const subject = h('a', { class: 'hint', hidden: true });
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const cards = h('div', { class: 'cards', hidden: true }, ...shown);
  const title = h('h1', { tabindex: -1 }, sessionId);
  const facts = h('p', { class: 'session-facts' }, subject, passed);
  const back = h('a', { class: 'back', href: '#/' }, '← All sessions');
  const article = h('article', { class: 'session' }, back, h('header', {}, title, facts), message, cards);
  return {
    passed,
    article,
    showSubject(id: string | undefined) {
      subject.hidden = id === undefined;
      subject.href = personLink(id ?? '');
      setText(subject, `Subject ${id ?? ''}`);
    },
    say(text: string) {
      message.hidden = false;
      setText(message, text);
    },
    showCards() {
      message.hidden = true;
      cards.hidden = false;
    },
  };
}
