/** One sentence about a person, from fields of the state, the hours and the topics. */
import { signalAges, topics as areas } from '../../generated/spec.js';
import type { History, StateReading, SubjectProfile, SummaryRow, TriggerProfile } from '../client/src/index.js';
import { type Language, type Message, say, sayDate, sayDuration, sayTime } from './messages.js';
import {
  compareDay,
  compareHour,
  countNotObserved,
  hoursOfDay,
  measuredSeconds,
  measureStress,
  type NotObserved,
  stressOfHour,
} from './usual.js';

export interface Present {
  readonly nowMs: number;
  /** The state of the person over all sessions. Absent without a live session. */
  readonly state?: StateReading | undefined;
  /** The readings of the last minutes, oldest first. */
  readonly points?: ReadonlyArray<History['datapoints'][number]>;
  readonly baseline?: SubjectProfile['baseline'];
  /** Topics that are not in `triggers`, if it is given, were removed. */
  readonly triggers?: Pick<TriggerProfile, 'active'> & Partial<Pick<TriggerProfile, 'triggers'>>;
  /** The hours of the last four weeks, oldest first. */
  readonly hours: readonly SummaryRow[];
  /** Times of these weeks in which the service did not run. */
  readonly absences?: NotObserved | undefined;
  /** The first day of which the service has data, epoch ms. */
  readonly firstMs?: number | undefined;
  /** Whether the sentence is said to the person. */
  readonly isToPerson?: boolean;
}

const [daySeconds, minuteMs] = [86_400, 60_000];
const staleMs = signalAges.stale_after_seconds * 1_000;
/** A topic is mentioned this long. */
const talkMs = 900_000;
/** A category of signals is mentioned from this many points on, and a heart rate from this difference on, bpm. */
const [pointsMin, heartMin] = [3, 5];
/** The usual heart rate is claimed from this weight of the person's own values on. */
export const ownShareMin = 0.5;
/** A lower confidence is explained. */
export const confidenceMin = 0.5;
/** Signals that are mentioned, beside the topic. */
const signalsMax = 2;

/** Returns one sentence about now, or about today for a person without a live state. */
export function describePerson(present: Present, language: Language = 'en'): string {
  const { state, nowMs } = present;
  const isLive = isLiveState(state, nowMs);
  const isStrained = isLive && !state.evidence && isLoaded(state) && state.state !== 'focused';
  const today = isStrained ? [] : describeToday(present, isLive, language);
  const clauses = isLive
    ? [...describeNow(present, state, language), ...today]
    : describeLast(present, today, language);
  const text = clauses.filter((it) => it !== '').join('; ');
  return `${capitalize(text, language)}.`;
}

export function isLiveState(state: StateReading | undefined, nowMs: number): state is StateReading {
  return state !== undefined && nowMs - Date.parse(state.timestamp) < staleMs;
}

/** Returns the state with its duration, and the facts behind it. */
function describeNow(present: Present, state: StateReading, language: Language): string[] {
  if (state.evidence) return [say(language, state.evidence === 'weak' ? 'unknown_weak' : 'unknown')];
  const newestMs = Date.parse(state.timestamp);
  const lastedMs = readLastedMs(state);
  const isLong = lastedMs >= minuteMs;
  const name = describeState(state, language, (seconds) => sayDuration(language, seconds));
  const isCompared = isLong && isLoaded(state) && state.state !== 'focused';
  const usual = isCompared && compareHour(present.hours, newestMs, stressOfHour(lastedMs, newestMs), present.absences);
  const facts = listFacts(present, state, language);
  const unsure = state.confidence < confidenceMin ? say(language, 'unsure') : '';
  return [
    usual ? `${name}, ${say(language, `hour_${usual}`)}` : name,
    facts.join(', '),
    describeRaised(state, language),
    unsure,
  ];
}

/** Returns what a raised heart rate can mean, for a state of load and for a day that is raised as a whole. */
function describeRaised({ raised, ...state }: StateReading, language: Language): string {
  const isSaid = raised && (isLoaded(state) || raised.likely === 'all_day');
  return isSaid ? say(language, `raised_${raised.likely}`, { at: sayTime(language, Date.parse(raised.since)) }) : '';
}

function readLastedMs({ timestamp, state_since: since = timestamp }: StateReading): number {
  return Date.parse(timestamp) - Date.parse(since);
}

/** Returns the state and how long it lasts. */
export function describeState(state: StateReading, language: Language, sayTimeOf: (seconds: number) => string): string {
  const lastedMs = readLastedMs(state);
  const at = sayTime(language, Date.parse(state.state_since ?? state.timestamp));
  const values = { state: say(language, state.state), at, time: sayTimeOf(lastedMs / 1_000) };
  const short = lastedMs > 0 ? 'state_since' : 'one_reading';
  return say(language, lastedMs >= minuteMs ? 'state_for' : short, values);
}

/** Returns true for a state that requires evidence of load. */
export function isLoaded({ state }: StateReading): boolean {
  return state !== 'calm' && state !== 'relaxed';
}

/** Returns what moved the score in the direction of the state, strongest first, and then the topic. */
function listFacts(present: Present, state: StateReading, language: Language): string[] {
  return [...listSignals(present, state, language), ...describeTalk(present, language)];
}

/** Returns the signals that moved the score in the direction of the state, strongest first. */
export function listSignals(present: Present, state: StateReading, language: Language): string[] {
  const { contributions = { neutral: 0, held: 0 } } = state;
  const sign = isLoaded(state) ? 1 : -1;
  const heart = contributions.cardiovascular ?? ownHeartOfOthers(state);
  const categories = (['vocal', 'visual', 'textual'] as const).map((category) => {
    const points = contributions[category] ?? 0;
    return [points, say(language, nameLabel(present, category, sign))] as const;
  });
  const found = [[heart ?? 0, describeHeart(present, sign, language)] as const, ...categories]
    .filter(([points, text]) => points * sign >= pointsMin && text !== '')
    .sort(([a], [b]) => (b - a) * sign)
    .slice(0, signalsMax);
  return found.map(([, text]) => text);
}

/** Labels that raise the score without strain. */
const namedLabels: ReadonlyArray<Message> = [
  'vocal_focused',
  'vocal_hesitant',
  'vocal_excited',
  'visual_concentrated',
  'visual_surprised',
];

/** Returns the message of a category of signals, by the newest label of the voice or the face. */
function nameLabel({ points = [], nowMs }: Present, category: 'vocal' | 'visual' | 'textual', sign: 1 | -1): Message {
  if (sign < 0) return `${category}_down`;
  const signal = category === 'vocal' ? 'tone' : 'expression';
  const newest = points.findLast((it) => it[signal] !== undefined && nowMs - Date.parse(it.timestamp) < staleMs);
  return namedLabels.find((it) => it === `${category}_${newest?.[signal]}`) ?? `${category}_up`;
}

/** Returns the points of other sessions if one of them sent the heart rate. */
function ownHeartOfOthers({ contributions, shared_signals: shared }: StateReading): number | undefined {
  return shared?.some(({ signal }) => signal === 'heart_rate') ? contributions?.other_session : undefined;
}

function describeHeart({ points = [], baseline, nowMs }: Present, sign: 1 | -1, language: Language): string {
  const newest = points.findLast(({ heart_rate }) => heart_rate !== undefined);
  const [rate, heart] = [newest?.heart_rate, baseline?.heart_rate];
  if (rate === undefined || nowMs - Date.parse(newest?.timestamp ?? '') >= staleMs) return '';
  if (heart?.typical_bpm === undefined || heart.own_share < ownShareMin)
    return say(language, 'heart_unlearned', { bpm: Math.round(rate) });
  const difference = Math.round(rate - heart.typical_bpm);
  if (Math.abs(difference) < heartMin) return sign < 0 ? say(language, 'heart_usual') : '';
  const message = difference > 0 ? 'heart_above' : 'heart_below';
  return difference * sign > 0 ? say(language, message, { bpm: Math.abs(difference) }) : '';
}

/** Returns the area of the newest topic that was mentioned in the last minutes, and whether it goes with more stress. */
function describeTalk(present: Present, language: Language): string[] {
  const { area, isActive } = findTalk(present);
  const trigger = present.isToPerson ? 'talk_trigger_you' : 'talk_trigger';
  return area ? [say(language, isActive ? trigger : 'talk', { topic: say(language, area) })] : [];
}

export function findTalk({ points = [], nowMs, triggers }: Present) {
  const turn = points.findLast((it) => it.topics_detected && nowMs - Date.parse(it.timestamp) < talkMs);
  const stored = triggers?.triggers;
  const names = (turn?.topics_detected ?? []).filter((it) => !stored || it in stored);
  const active = names.find((it) => triggers?.active.includes(it));
  return { area: findArea(active ?? names[0]), isActive: active !== undefined };
}

function findArea(topic: string | undefined): (Message & keyof typeof areas) | undefined {
  const names = Object.keys(areas) as Array<keyof typeof areas>;
  return names.find((area) => (areas[area] as readonly string[]).includes(topic ?? ''));
}

/** Returns the last known state and why it does not count before the clauses of today, or after them why there is none. */
function describeLast(
  { state, nowMs, hours }: Present,
  today: readonly string[],
  language: Language,
): readonly string[] {
  const newestMs = Date.parse(state?.timestamp ?? '');
  const isToday = new Date(newestMs).toDateString() === new Date(nowMs).toDateString();
  const at = state ? sayTime(language, newestMs) : '';
  if (!isToday && hoursOfDay(hours, nowMs).length > 0) return [...today, say(language, 'no_live')];
  if (state && !state.evidence) {
    const values = {
      state: decapitalize(say(language, state.state), language),
      at,
      date: sayDate(language, newestMs),
      time: sayDuration(language, staleMs / 1_000),
    };
    return [say(language, isToday ? 'last_state' : 'last_state_day', values), ...today];
  }
  return isToday ? [say(language, 'not_live', { at }), ...today] : today;
}

export function capitalize(text: string, language: Language): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

export function decapitalize(name: string, language: Language): string {
  return name.charAt(0).toLocaleLowerCase(language) + name.slice(1);
}

function describeToday(present: Present, isLive: boolean, language: Language): string[] {
  const { hours, nowMs, firstMs, baseline, absences = [] } = present;
  const today = hoursOfDay(hours, nowMs);
  const measuredTime = measuredSeconds(today);
  const measured = sayDuration(language, measuredTime);
  const absent = countNotObserved(absences, new Date(nowMs).setHours(0, 0, 0, 0), nowMs);
  const unseen = absent < 60 ? '' : say(language, 'not_observed', { time: sayDuration(language, absent) });
  if (isLive && measuredTime < 60) return [unseen];
  if (today.length === 0) return [...describeNewest(hours, language), unseen];
  const { seconds, lone } = measureStress(today);
  const usual = compareDay(hours, nowMs, absences);
  const stress =
    seconds > 0
      ? say(language, 'in_measured', {
          clause: say(language, 'stress_today', { time: sayDuration(language, seconds) }),
          measured,
        })
      : say(language, lone > 0 ? 'lone_stress_today' : 'no_stress_today', { measured });
  const isNew = (baseline?.heart_rate?.learned_seconds ?? Infinity) < daySeconds;
  const isFirst = isNew && firstMs !== undefined && new Date(firstMs).toDateString() === new Date(nowMs).toDateString();
  return [
    usual ? `${stress}, ${say(language, `day_${usual}`)}` : stress,
    unseen,
    isFirst ? say(language, present.isToPerson ? 'first_day_you' : 'first_day') : '',
  ];
}

function describeNewest(hours: readonly SummaryRow[], language: Language): string[] {
  const newest = hours.at(-1);
  if (!newest) return [say(language, 'nothing')];
  const date = sayDate(language, Date.parse(newest.start));
  return [say(language, 'nothing_today'), say(language, 'newest', { date })];
}
