/** Simulates weeks of people with a watch and a chat, from days of real wearers and rises of the heart rate in stress. */
import { topics } from '../../../../generated/spec.js';
import { clampToContract } from '../../../recordings/signals.js';
import { seededRandom } from '../../terminal/scenes.js';
import { groupBy } from '../../group-by.js';
import { mean } from '../figures/statistics.js';
import type { HeartStream, Minute, Wearer } from './wearers.js';

export const minuteMs = 60_000;
export const dayMs = 1_440 * minuteMs;
export const startMs = Date.parse('2026-10-01T00:00:00Z');

export type Area = keyof typeof topics;

/** What a person says. Without an area, it is small talk. */
export interface Message {
  readonly area: Area | undefined;
}

/** Two to three weeks of a simulated person. */
export interface Life<M extends Message = Message> {
  readonly person: string;
  readonly wearer: string;
  /** Minutes that the watch sends, with the rises. */
  readonly minutes: readonly WornMinute[];
  readonly turns: readonly Said<M>[];
}

export interface WornMinute extends Minute {
  /** The chat around this minute. Absent if there is none. */
  readonly chat?: number | undefined;
}

export interface Said<M extends Message = Message> {
  readonly atMs: number;
  readonly chat: number;
  readonly message: M;
  /** True if a rise of the heart rate follows. */
  readonly isStressful: boolean;
}

/** A rise after a stressor starts: size in bpm, and the time until half of it is reached, in seconds. */
export interface Rise {
  readonly bpm: number;
  readonly halfSeconds: number;
}

/** Habits of the simulated people. Judgment, except for the rises. */
const habits = {
  peoplePerWearer: 3,
  days: [14, 21],
  chatsPerDay: [2, 6],
  turnsPerChat: [3, 7],
  secondsPerTurn: [45, 120],
  /** Share of turns about a concern. The others are small talk. */
  concernShare: 0.35,
  /** Areas that a person talks about, and those of them that are stressful. */
  areas: 5,
  stressfulAreas: [1, 2],
  /** Share of the concerns that are about a stressful area, and of those that a rise follows. */
  stressfulShare: 0.4,
  riseShare: 0.75,
  holdSeconds: [60, 180],
  fadeSeconds: 90,
  /** Minutes before and after a chat in which the watch must be worn. */
  wornMinutes: 6,
  /** The watch sends each minute of this time before and after a turn, otherwise one minute in so many. */
  closeMinutes: [30, 10],
  everyMinutes: 5,
} as const;

/** Rises below and above are noise of the sensor or no reaction. */
const riseBpm = [10, 40] as const;

/** Returns the rise after the start of each stressor task, if there is one: the highest mean of 30 s within 4 min. */
export function measureRises(streams: readonly HeartStream[]): Rise[] {
  return streams.flatMap(({ rows }) => {
    const rates = rows.map(({ heartRate }) => heartRate);
    const starts = rows.flatMap(({ isStressor }, at) =>
      at > 0 && isStressor && !rows[at - 1]?.isStressor ? [at] : [],
    );
    return starts.flatMap((start) => {
      const before = mean(rates.slice(Math.max(0, start - 60), start));
      const length = Math.min(240, rates.length - start - 30);
      const after = Array.from({ length }, (_, at) => mean(rates.slice(start + at, start + at + 30)) - before);
      const bpm = Math.max(...after);
      return bpm < riseBpm[0] || bpm > riseBpm[1] ? [] : [{ bpm, halfSeconds: after.findIndex((it) => it >= bpm / 2) }];
    });
  });
}

export interface LifeOptions {
  readonly days?: readonly [number, number];
  /** No turn is stressful from this day on. The days before are the same as without it. */
  readonly calmFromDay?: number;
}

/** Returns the lives of all people. The same seed gives the same lives. */
export function simulateLives<M extends Message>(
  wearers: readonly Wearer[],
  rises: readonly Rise[],
  messages: readonly M[],
  seed: number,
  { days = habits.days, calmFromDay = Infinity }: LifeOptions = {},
): Life<M>[] {
  return wearers.flatMap((wearer, place) =>
    Array.from({ length: habits.peoplePerWearer }, (_, index) => {
      const random = seededRandom(1_000 * seed + habits.peoplePerWearer * place + index);
      const minutes = resampleDays(wearer, drawInteger(days, random), random);
      const turns = talk(minutes, messages, random, calmFromDay);
      const person = `${wearer.person}-${index}`;
      return { person, wearer: wearer.person, minutes: addRises(sample(minutes, turns), turns, rises, random), turns };
    }),
  );
}

/** Returns the minutes that the watch sends. */
export function sample(minutes: readonly Minute[], turns: readonly Said[]): WornMinute[] {
  const [before, after] = habits.closeMinutes;
  const chats = new Map<number, number>();
  for (const { atMs, chat } of [...turns].reverse())
    for (let minute = -before; minute <= after; minute++)
      chats.set(minuteMs * (Math.floor(atMs / minuteMs) + minute), chat);
  return minutes
    .map((it) => ({ ...it, chat: chats.get(it.atMs) }))
    .filter(({ atMs, chat }) => chat !== undefined || (atMs / minuteMs) % habits.everyMinutes === 0);
}

/** Returns days of the wearer in random order, with repetition. */
export function resampleDays({ minutes }: Wearer, count: number, random: () => number): Minute[] {
  const days = [...groupBy(minutes, ({ atMs }) => Math.floor(atMs / dayMs)).values()];
  return Array.from({ length: count }, (_, day) =>
    pick(days, random).map((it) => ({ ...it, atMs: startMs + day * dayMs + (it.atMs % dayMs) })),
  ).flat();
}

function talk<M extends Message>(
  minutes: readonly Minute[],
  messages: readonly M[],
  random: () => number,
  calmFromDay: number,
): Said<M>[] {
  const worn = new Set(minutes.map(({ atMs }) => atMs));
  const dayTotal = Math.ceil(((minutes.at(-1)?.atMs ?? startMs) - startMs) / dayMs);
  const own = shuffle(Object.keys(topics) as Area[], random).slice(0, habits.areas);
  const stressful = own.slice(0, drawInteger(habits.stressfulAreas, random));
  const byArea = groupBy(messages, ({ area }) => area);
  const say = (): Pick<Said<M>, 'message' | 'isStressful'> => {
    if (random() >= habits.concernShare)
      return { message: pick(byArea.get(undefined) ?? [], random), isStressful: false };
    const isOfStressful = random() < habits.stressfulShare;
    const area = pick(isOfStressful ? stressful : own.slice(stressful.length), random);
    const isStressful = isOfStressful && random() < habits.riseShare;
    return { message: pick(byArea.get(area) ?? [], random), isStressful };
  };
  const turns: Said<M>[] = [];
  let chat = 0;
  for (let day = 0; day < dayTotal; day++)
    for (let planned = drawInteger(habits.chatsPerDay, random); planned > 0; planned--) {
      const fromMs = startMs + day * dayMs + minuteMs * drawInteger([8 * 60, 22 * 60], random);
      const seconds = drawTurnTimes(random);
      const first = Math.floor(fromMs / minuteMs) - habits.wornMinutes;
      const last = Math.ceil((fromMs / 1000 + (seconds.at(-1) ?? 0)) / 60) + habits.wornMinutes;
      const isWorn = Array.from({ length: last - first }, (_, at) => worn.has((first + at) * minuteMs)).every(Boolean);
      if (!isWorn || turns.some(({ atMs }) => Math.abs(atMs - fromMs) < 30 * minuteMs)) continue;
      for (const second of seconds) {
        const said = say();
        turns.push({ atMs: fromMs + 1000 * second, chat, ...said, isStressful: said.isStressful && day < calmFromDay });
      }
      chat++;
    }
  return turns.sort((a, b) => a.atMs - b.atMs);
}

/** Returns the times of the turns of a chat, in seconds after its start. */
function drawTurnTimes(random: () => number): number[] {
  const pace = drawInteger(habits.secondsPerTurn, random);
  return Array.from({ length: drawInteger(habits.turnsPerChat, random) }, (_, turn) =>
    Math.round(pace * (turn + 0.4 * random())),
  );
}

/** Adds a rise after each stressful turn. Rises that overlap add up, up to the highest one. */
function addRises(
  minutes: readonly WornMinute[],
  turns: readonly Said[],
  rises: readonly Rise[],
  random: () => number,
): WornMinute[] {
  const more = new Map<number, number>();
  for (const { atMs } of turns.filter(({ isStressful }) => isStressful)) {
    const rise = pick(rises, random);
    const hold = drawInteger(habits.holdSeconds, random);
    for (let second = 0; second < 900; second++) {
      const minute = Math.floor((atMs / 1000 + second) / 60) * minuteMs;
      more.set(minute, (more.get(minute) ?? 0) + riseAt(rise, hold, second) / 60);
    }
  }
  return minutes.map(({ atMs, heartRate, chat }) => {
    // The value of a minute is sent at its end.
    const raised = heartRate + Math.min(riseBpm[1], more.get(atMs) ?? 0);
    return { atMs: atMs + minuteMs, heartRate: clampRise(raised), chat };
  });
}

/** Returns a raised heart rate as a watch sends it. */
export const clampRise = (bpm: number): number => clampToContract('heart_rate', Math.round(10 * bpm) / 10);

function riseAt({ bpm, halfSeconds }: Rise, holdSeconds: number, second: number): number {
  const full = 2 * halfSeconds;
  if (second < full) return (bpm * second) / full;
  return bpm * Math.exp(-Math.max(0, second - full - holdSeconds) / habits.fadeSeconds);
}

export function drawInteger([from, to]: readonly [number, number], random: () => number): number {
  return from + Math.floor(random() * (to - from + 1));
}

export function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

export function shuffle<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((it) => [random(), it] as const)
    .sort(([a], [b]) => a - b)
    .map(([, it]) => it);
}
