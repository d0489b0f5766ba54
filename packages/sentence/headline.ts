/** The first line about a person: one state, one cause, one thing to do. `describePerson` returns the rest. */
import type { StateReading } from '../client/src/index.js';
import { type Language, type Message, say, sayDate, sayShortDuration, sayTime } from './messages.js';
import {
  capitalize,
  confidenceMin,
  decapitalize,
  describeState,
  findTalk,
  isLiveState,
  listSignals,
  type Present,
} from './sentence.js';
import { hoursOfDay } from './usual.js';

/** Characters that fit on two lines of a phone that is 390 px wide. */
export const headlineMax = 70;
/** Time after stress in which the advice is to go slowly, ms: a choice, not a measured figure. */
export const calmingMs = 300_000;

/** Returns the state, its strongest cause and one thing to do, in at most `headlineMax` characters. */
export function writeHeadline(present: Present, language: Language = 'en'): string {
  const { state, nowMs } = present;
  const advise = (clause: string, advice: Message) => `${capitalize(clause, language)}. ${say(language, advice)}`;
  if (!isLiveState(state, nowMs)) return advise(...describeEnded(present, language));
  if (state.evidence === 'weak') return advise(say(language, 'unknown_weak'), 'do_measure');
  if (state.evidence) return advise(say(language, 'unknown'), 'do_check');
  const { area } = findTalk(present);
  const talk = area && say(language, 'talk', { topic: say(language, area) });
  const cause = listSignals(present, state, language)[0] ?? talk;
  const isUnsure = state.confidence < confidenceMin;
  const names = [describeState(state, language, sayShortDuration), say(language, state.state)].map((clause) =>
    isUnsure ? say(language, 'now_unsure', { clause }) : clause,
  );
  const clauses = [...(cause === undefined ? [] : names.map((it) => `${it}: ${cause}`)), ...names];
  const texts = clauses.map((it) => advise(it, adviseOn(present, state)));
  return texts.find((it) => it.length <= headlineMax) ?? '';
}

const advices = { calm: 'do_nothing', relaxed: 'do_nothing', focused: 'do_undisturbed' } as const;

function adviseOn({ points = [], nowMs, isToPerson }: Present, { state }: StateReading): Message {
  if (state === 'stressed') return isToPerson ? 'do_break_you' : 'do_break';
  if (state === 'acute_stress') return isToPerson ? 'do_break_now_you' : 'do_break_now';
  const wasStrained = points.some(
    (it) =>
      !it.evidence &&
      (it.state === 'stressed' || it.state === 'acute_stress') &&
      nowMs - Date.parse(it.timestamp) < calmingMs,
  );
  return wasStrained ? 'do_slowly' : advices[state];
}

/** Returns since when nothing live was measured, and what to do. */
function describeEnded({ state, nowMs, hours }: Present, language: Language): [clause: string, advice: Message] {
  const newestMs = Date.parse(state?.timestamp ?? '');
  const isToday = (atMs: number) => new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  const sayWhen = (atMs: number) => (isToday(atMs) ? sayTime(language, atMs) : sayDate(language, atMs));
  if (!isToday(newestMs) && hoursOfDay(hours, nowMs).length > 0) return [say(language, 'imported'), 'do_connect'];
  if (state) {
    const values = { at: sayWhen(newestMs), state: decapitalize(say(language, state.state), language) };
    return [say(language, state.evidence ? 'ended' : 'ended_state', values), 'do_check'];
  }
  const newest = hours.at(-1);
  if (!newest) return [say(language, 'nothing'), 'do_connect'];
  return [say(language, 'ended', { at: sayDate(language, Date.parse(newest.start)) }), 'do_check'];
}
