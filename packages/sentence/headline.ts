/** The first line about a person: one state, one cause, one thing to do. `describePerson` returns the rest. */
import type { StateReading } from '../client/src/index.js';
import { findCause, isHeld } from '../score/cause.js';
import { type Language, type Message, say, sayDate, sayShortDuration, sayTime } from './messages.js';
import {
  capitalize,
  confidenceMin,
  decapitalize,
  describeState,
  findTalk,
  isLoaded,
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
  const [names, advice] = describeRise(present, state, language) ?? nameState(present, state, language);
  const causes = listCauses(present, state, language);
  const clauses = [...causes.flatMap((cause) => names.map((it) => `${it}: ${cause}`)), ...names];
  const texts = clauses.map((it) => advise(it, advice));
  return texts.find((it) => it.length <= headlineMax) ?? '';
}

type Named = readonly [names: readonly string[], advice: Message];

/** Returns the state, with its duration and without, and what to do. */
function nameState(present: Present, state: StateReading, language: Language): Named {
  const names = [describeState(state, language, sayShortDuration), say(language, state.state)];
  const isUnsure = state.confidence < confidenceMin;
  const unsure = names.map((clause) => say(language, 'now_unsure', { clause }));
  return [isUnsure ? unsure : names, adviseOn(present, state)];
}

/**
 * Returns the strongest cause, with its figures and without, or the topic. The figures of the newest reading do not explain a
 * state that is held against them.
 */
function listCauses(present: Present, state: StateReading, language: Language): string[] {
  const short = findCause(state.action_reason, state.state);
  if (short && isHeld(state.action_reason)) return [say(language, short)];
  const [strongest] = listSignals(present, state, language);
  if (strongest !== undefined) return [strongest, ...(short ? [say(language, short)] : [])];
  const { area } = findTalk(present);
  return area ? [say(language, 'talk', { topic: say(language, area) })] : [];
}

/** What a rise of the heart alone is called in place of a state of load, and what to do about it. */
const rises = {
  unknown: ['rise_unknown', 'do_ask'],
  exertion: ['rise_exertion', 'do_nothing'],
  recovery: ['rise_recovery', 'do_nothing'],
  waking: ['rise_waking', 'do_nothing'],
  all_day: ['rise_all_day', 'do_slowly'],
} as const;

/** Returns what a raised heart rate can mean, and what to do. Undefined if no other cause than stress is likely. */
function describeRise({ isToPerson }: Present, state: StateReading, language: Language): Named | undefined {
  const likely = state.raised?.likely;
  if (!isLoaded(state) || likely === undefined || likely === 'stress') return undefined;
  const [rise, advice] = rises[likely];
  return [[say(language, rise)], advice === 'do_ask' && isToPerson ? 'do_ask_you' : advice];
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
