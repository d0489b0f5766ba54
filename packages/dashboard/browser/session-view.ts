import type { StateReading } from '../../client/src/index.js';
import { createAdviceCard, showTriggers } from './cards.js';
import { createChart } from './chart/chart.js';
import { h, setTitle, show } from '../../ui/dom.js';
import { createFeedbackCard } from './feedback.js';
import { age, hasEnded, shownState, words } from '../../ui/format.js';
import { namedHead, nameOf } from './names.js';
import { card, controlledCard, createChoice, createStatus } from '../../ui/parts.js';
import { createPresent } from './present.js';
import { personLink } from './router.js';
import { isUnknown, nowMs, reasonOf, refreshedMinutes, type Service } from './service.js';
import type { Sessions } from './sessions.js';

const noData = 'No readings of this session are stored.';
const windows = [5, 15, 30, 60].map((it) => [it, `${it} min`] as const);
const firstWindow = 15;

export type SessionView = ReturnType<typeof createSessionView>;

/** Returns the view of one session. It follows the stream, and requests the history for heart rates and the trend. */
export function createSessionView(
  service: Service,
  sessions: Sessions,
  sessionId: string,
  signal: AbortSignal,
  emptyText = noData,
) {
  const [advice, chart] = [createAdviceCard(), createChart()];
  const range = createChoice({ name: 'minutes', legend: 'Window' }, windows, () => void loadWindow());
  range.choose(firstWindow);
  const [facts, message, triggers] = [h('p.hint.line'), createStatus('p.notice'), h('div')];
  const history = controlledCard('History', [range.element], chart.element);
  history.classList.add('wide');
  /** Undefined until the triggers have been requested. Null: for no subject. */
  let shownSubject: string | null | undefined;

  const draw = () => {
    const [newest, now] = [present.newest(), nowMs()];
    chart.draw({ points: present.points(), minutes: minutes(), nowMs: now });
    if (newest === undefined) return;
    const atMs = Date.parse(newest.timestamp);
    const isPast = hasEnded(atMs, now);
    element.toggleAttribute('data-ended', isPast);
    advice.show(newest, isPast, present.points(), now);
    const subject = sessions.find(sessionId)?.subject_id;
    const link = subject === undefined ? undefined : h('a', { href: personLink(subject) }, `Person ${nameOf(subject)}`);
    triggers.closest<HTMLElement>('.card')?.toggleAttribute('hidden', subject === undefined);
    show(
      facts,
      link ?? 'No subject_id: topics and a baseline require one.',
      !isPast && h('span.hint', `Newest reading ${age(atMs, now)}`),
    );
    const score = newest.evidence ? '' : `${newest.stress_score} `;
    setTitle(`${isPast ? 'ended' : `${score}${words(shownState(newest))}`} · ${nameOf(sessionId)}`);
    // The subject of a new session becomes known after its first reading.
    if (shownSubject !== (subject ?? null)) loadTriggers(subject);
  };
  const present = createPresent(service, sessionId, signal, draw);
  const minutes = () => range.value() ?? firstWindow;
  const showFault = (error: unknown) => {
    if (!signal.aborted) message.say(reasonOf(error));
  };
  const loadWindow = () => present.load(minutes()).catch(showFault);
  const take = (reading: StateReading) => {
    present.take(reading);
    message.say('');
    cards.hidden = false;
  };
  const load = async () => {
    // Requesting a session without data would be an error, so the list of sessions is searched first.
    await sessions.search(sessionId);
    if (sessions.find(sessionId) === undefined && !sessions.hasMore()) return message.say(emptyText);
    take(await service.state(sessionId, { signal }));
    await present.load(refreshedMinutes);
    await loadWindow();
  };
  const loadTriggers = (subject: string | undefined) => {
    shownSubject = subject ?? null;
    if (subject === undefined) return;
    service.triggers(subject, { signal }).then(
      (profile) => showTriggers(triggers, profile, nowMs()),
      (error: unknown) =>
        isUnknown(error)
          ? showTriggers(triggers, { triggers: {} }, nowMs())
          : show(triggers, h('p.hint', reasonOf(error))),
    );
  };
  const cards = h(
    'div.cards.two',
    { hidden: true },
    present.score,
    advice.element,
    present.why,
    present.signals,
    history,
    card('Triggers of the person', triggers),
    createFeedbackCard(service, { session_id: sessionId }),
  );
  const back = h('a.back', { href: '#/' }, '← All sessions');
  const element = h('article.session', back, namedHead(sessionId, facts), message.element, cards);
  setTitle(sessionId);
  message.say('Loading …');
  load().catch(showFault);
  return {
    element,
    sessionId,
    receive(reading: StateReading) {
      take(reading);
      if (reading.topics_detected.length > 0) shownSubject = undefined;
      present.receive(reading);
    },
  };
}
