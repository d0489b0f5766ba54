import type { StateReading } from '../../../clients/typescript/src/index.js';
import { createAdviceCard } from './advice-card.js';
import { createChart } from './chart/chart.js';
import { nowMs } from './clock.js';
import { age } from './format.js';
import { h, setText } from './dom.js';
import { createRangeChoice } from './range-choice.js';
import { createScoreCard } from './score-card.js';
import { createSendPanel } from './send/send-panel.js';
import { reasonOf, type Service } from './service.js';
import { createSessionData } from './session-data.js';
import type { Sessions } from './sessions.js';
import { createSignalsCard } from './signals-card.js';
import { createTriggersCard } from './triggers-card.js';

export interface SessionView {
  readonly element: HTMLElement;
  readonly sessionId: string;
  /** Shows a reading of this session from the stream. */
  receive(reading: StateReading): void;
  close(): void;
}

const tickMs = 1_000;
const noData = 'No readings yet. Send the first one from here or from your app.';

/** Returns the view of one session. It follows the stream, and requests the history for heart rates and the trend. */
export function createSessionView(service: Service, sessions: Sessions, sessionId: string): SessionView {
  const closed = new AbortController();
  const { signal } = closed;
  const [score, advice, chart] = [createScoreCard(), createAdviceCard(), createChart()];
  const [signals, triggers] = [createSignalsCard(), createTriggersCard(service)];
  const send = createSendPanel(service, sessionId);
  const range = createRangeChoice(() => void data.loadHistory(range.minutes()).catch(showFault));
  const frame = createFrame(sessionId, [
    score.element,
    advice.element,
    chartCard(range.element, chart.element),
    signals.element,
    triggers.element,
  ]);
  let newestMs: number | undefined;
  /** Undefined until the triggers have been requested. Null: for no subject. */
  let shownSubject: string | null | undefined;

  const draw = () => {
    const now = nowMs();
    chart.draw({ points: data.points, mentions: data.mentions, minutes: range.minutes(), nowMs: now });
    signals.tick(now);
    setText(frame.passed, newestMs === undefined ? '' : `Newest reading ${age(newestMs, now)}`);
  };
  const data = createSessionData({
    service,
    sessions,
    sessionId,
    signal,
    onReading(reading) {
      newestMs = Date.parse(reading.timestamp);
      score.show(reading);
      advice.show(reading);
      signals.receive(reading);
      frame.showCards();
    },
    onPoints() {
      signals.receiveHistory(data.points);
      draw();
    },
    onTrend: score.showTrend,
  });
  const loadTriggers = async (subjectId: string | undefined) => {
    setText(frame.subject, subjectId === undefined ? '' : `Subject ${subjectId}`);
    send.useSubject(subjectId);
    data.addMentions(await triggers.load(subjectId, nowMs()));
  };
  const showFault = (error: unknown) => {
    if (!signal.aborted) frame.say(reasonOf(error));
  };
  /** The subject of a new session becomes known after its first reading. */
  const tick = () => {
    const subjectId = sessions.find(sessionId)?.subject_id;
    const isNew = newestMs !== undefined && shownSubject !== (subjectId ?? null);
    if (isNew) shownSubject = subjectId ?? null;
    if (isNew) loadTriggers(subjectId).catch(showFault);
    draw();
  };
  const receive = (reading: StateReading) => {
    signals.receive(reading);
    data.add(reading);
    if (reading.topics_detected.length > 0) shownSubject = undefined;
  };
  const load = async () => {
    if (!(await data.load(range.minutes()))) return frame.say(noData);
    tick();
  };
  load().catch(showFault);
  const timer = setInterval(tick, tickMs);
  return {
    element: frame.element(send.element),
    sessionId,
    receive,
    close() {
      closed.abort();
      clearInterval(timer);
      send.close();
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
  const subject = h('span', { class: 'hint' });
  const message = h('p', { class: 'notice', role: 'status' }, 'Loading …');
  const cards = h('div', { class: 'cards', hidden: true }, ...shown);
  return {
    passed,
    subject,
    element: (foot: HTMLElement) =>
      h(
        'article',
        { class: 'session' },
        h('a', { class: 'back', href: '#/' }, '← All sessions'),
        h('header', {}, h('h1', { tabindex: -1 }, sessionId), h('p', { class: 'session-facts' }, subject, passed)),
        message,
        cards,
        foot,
      ),
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
