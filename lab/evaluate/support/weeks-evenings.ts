/** Simulates three weeks of evening chats of people whose minutes are those of real wearers. */
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import type { Wearer } from '../../../packages/tools/evaluate/protocol/wearers.js';
import {
  type Area,
  clampRise,
  dayMs,
  drawInteger,
  type Life,
  minuteMs,
  pick,
  resampleDays,
  type Said,
  sample,
  shuffle,
  startMs,
} from '../../../packages/tools/evaluate/protocol/weeks-world.js';
import { topics } from '../../../generated/spec.js';
import type { Message } from './weeks-texts.js';

/** Habits of the simulated people. Judgment. */
const habits = {
  peoplePerWearer: 2,
  days: 21,
  /** Days of each week with a chat. */
  chatDays: 5,
  /** Minutes of the day in which a chat starts. */
  startMinutes: [18 * 60, 22 * 60],
  turnsPerChat: [4, 6],
  secondsPerTurn: [60, 300],
  /** Share of turns about one of the areas. The others are small talk. */
  concernShare: 0.85,
  /** Areas that a person talks about. The first one stresses, the second one stresses until `endsOnDay`. */
  areas: 4,
  riseShare: 0.8,
  riseBpm: [15, 29],
  riseMinutes: 4,
  /** Minutes before and after a chat in which the watch must be worn. */
  wornMinutes: 6,
} as const;

/** The second area stresses no more from this day on. */
const endsOnDay = 14;
export const endsMs = startMs + endsOnDay * dayMs;

/** Three weeks of a person, with the area that stresses only in the first two weeks. */
export interface Evenings extends Life<Message> {
  readonly ended: Area;
}

/** Returns the same people for the same seed. */
export function simulateEvenings(wearers: readonly Wearer[], messages: readonly Message[], seed: number): Evenings[] {
  return wearers.flatMap((wearer, place) =>
    Array.from({ length: habits.peoplePerWearer }, (_, index) => {
      const random = seededRandom(1_000 * seed + habits.peoplePerWearer * place + index);
      const minutes = resampleDays(wearer, habits.days, random);
      const areas = shuffle(Object.keys(topics) as Area[], random).slice(0, habits.areas);
      const turns = talk(new Set(minutes.map(({ atMs }) => atMs)), areas, messages, random);
      const more = listRises(turns, random);
      const worn = sample(minutes, turns).map(({ atMs, heartRate, chat }) => ({
        atMs: atMs + minuteMs,
        heartRate: clampRise(heartRate + (more.get(atMs) ?? 0)),
        chat,
      }));
      const person = `${wearer.person}-${index}`;
      return { person, wearer: wearer.person, minutes: worn, turns, ended: areas[1] as Area };
    }),
  );
}

function talk(
  worn: ReadonlySet<number>,
  areas: readonly Area[],
  messages: readonly Message[],
  random: () => number,
): Said<Message>[] {
  const byArea = groupBy(messages, ({ area }) => area);
  const say = (day: number) => {
    const area = random() < habits.concernShare ? pick(areas, random) : undefined;
    const stresses = area !== undefined && (area === areas[0] || (area === areas[1] && day < endsOnDay));
    return { message: pick(byArea.get(area) ?? [], random), isStressful: random() < habits.riseShare && stresses };
  };
  const days = Array.from({ length: habits.days / 7 }, (_, week) =>
    shuffle([0, 1, 2, 3, 4, 5, 6], random)
      .slice(0, habits.chatDays)
      .map((day) => 7 * week + day),
  ).flat();
  return days
    .sort((a, b) => a - b)
    .flatMap((day, chat) => {
      const times = findEvening(worn, startMs + day * dayMs, random);
      return times.map((atMs) => ({ atMs, chat, ...say(day) }));
    });
}

/** Returns the times of the turns of a chat while the watch is worn. Empty if it is not worn in the evening. */
function findEvening(worn: ReadonlySet<number>, dayFromMs: number, random: () => number): number[] {
  for (let attempt = 0; attempt < 20; attempt++) {
    const fromMs = dayFromMs + minuteMs * drawInteger(habits.startMinutes, random);
    const pace = drawInteger(habits.secondsPerTurn, random);
    const times = Array.from(
      { length: drawInteger(habits.turnsPerChat, random) },
      (_, turn) => fromMs + 1000 * Math.round(pace * (turn + 0.4 * random())),
    );
    const first = Math.floor(fromMs / minuteMs) - habits.wornMinutes;
    const last = Math.ceil((times.at(-1) ?? fromMs) / minuteMs) + habits.wornMinutes;
    if (Array.from({ length: last - first }, (_, at) => worn.has((first + at) * minuteMs)).every(Boolean)) return times;
  }
  return [];
}

/** Returns the rise of each minute in bpm. Of rises that overlap, the higher one counts. */
function listRises(turns: readonly Said<Message>[], random: () => number): Map<number, number> {
  const more = new Map<number, number>();
  for (const { atMs } of turns.filter(({ isStressful }) => isStressful)) {
    const bpm = drawInteger(habits.riseBpm, random);
    const from = Math.ceil(atMs / minuteMs);
    for (let minute = from; minute < from + habits.riseMinutes; minute++)
      more.set(minute * minuteMs, Math.max(bpm, more.get(minute * minuteMs) ?? 0));
  }
  return more;
}
