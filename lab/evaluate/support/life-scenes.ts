import { toScore } from '../../../packages/tools/evaluate/figures/figures.js';
import { mean, shareOf } from '../../../packages/tools/evaluate/figures/statistics.js';
import type { Wearer } from '../../../packages/tools/evaluate/protocol/wearers.js';
import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import type { Session } from '../../../packages/score/rows/session.js';
import { advanceSession, type SessionStep } from '../../../packages/score/session.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { percent } from '../../../packages/tools/terminal/table.js';
import { isAwake } from '../../../testkit/simulation/days.js';
import { scenesBefore } from './life-before.js';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Returns a heart rate of a scene, in bpm, and what else the reading states. */
type Play = (it: {
  /** Minutes since the start of the scene. */
  readonly minute: number;
  /** Heart rate of the wearer in this minute, in bpm. */
  readonly own: number;
  /** The quiet level of the wearer by day, in bpm. */
  readonly quiet: number;
  /** Returns numbers from −1 to 1. */
  readonly noise: () => number;
}) => { readonly heart_rate: number } & Partial<Statement>;

interface Statement {
  readonly activity_level: 'resting' | 'vigorous';
  readonly steps_last_minute: number;
}

/** A scene in the life of a wearer, who has been known for eight days or more. */
interface Scene {
  readonly name: string;
  readonly right: string;
  /** Start of the scene, in minutes of the day. */
  readonly at: number;
  /** Length of the scene in minutes. */
  readonly minutes: number;
  /** Returns true for the minutes that count. Default: all. */
  readonly counts?: (minute: number) => boolean;
  /** Minutes by which the wearer's own minutes are later. */
  readonly shift?: number;
  readonly play: Play;
  /** Changes all minutes of the wearer, also those before the scene. */
  readonly as?: (bpm: number, quiet: number) => number;
  /** True if the figure is the share of the scenes that are stressed within ten minutes. */
  readonly isSeen?: true;
}

const hour = 60;
const days = (count: number) => count * 24 * hour;
/** Stays at a distance from the quiet level of the day, in bpm. */
const atQuiet =
  (bpm: (minute: number) => number, spread = 3): Play =>
  ({ minute, quiet, noise }) => ({ heart_rate: quiet + bpm(minute) + spread * noise() });
/** Adds to the wearer's own minutes, in bpm. */
const over =
  (bpm: (minute: number) => number): Play =>
  ({ minute, own }) => ({ heart_rate: own + bpm(minute) });
/** A rise with the time constant of a minute and a half, and a decay with one of `decay` minutes. */
const rise = (bpm: number, until: number, decay: number) => (minute: number) =>
  bpm * (minute < until ? 1 - Math.exp(-(minute + 1) / 1.5) : Math.exp(-(minute - until) / decay));
const clock = (minute: number, at: number) => ((minute + at) % days(1)) / hour;
const isBetween = (at: number, from: number, to: number) => (at >= from && at < to) || at + 24 < to;
const half = (bpm: number, quiet: number) => quiet + (bpm - quiet) / 2;
const run = (minute: number) =>
  minute < 30 ? 70 : 40 * Math.exp(-(minute - 30) / 2) + 28 * Math.exp(-(minute - 30) / 35);
const afterRun = { at: 17 * hour, minutes: 120, counts: (minute: number) => minute >= 30 };

/** The rises are judgment, from physiology literature. */
const scenes: readonly Scene[] = [
  ...[2, 4].map((at): Scene => {
    const play = atQuiet((minute) => 14 + 6 * Math.sin(minute / 4));
    return {
      name: `a parent carries a baby for 25 min at ${at} h`,
      right: 'exertion',
      at: at * hour,
      minutes: 25,
      play,
    };
  }),
  { name: 'lies awake for an hour at 3 h', right: 'not stressed', at: 3 * hour, minutes: 60, play: atQuiet(() => -1) },
  {
    name: 'gets up at 4 h, for a flight',
    right: 'not stressed',
    at: 4 * hour,
    minutes: 120,
    play: atQuiet(() => 6, 6),
  },
  {
    name: 'first three nights of a night shift: own minutes of 12 h before',
    ...{ right: 'not stressed', at: 20 * hour, minutes: days(3), shift: 12 * hour, play: over(() => 0) },
    counts: (minute) => isBetween(clock(minute, 20 * hour), 22, 30),
  },
  {
    name: 'three days after a flight across nine hours: own minutes of 9 h before',
    ...{ right: 'not stressed', at: 0, minutes: days(3), shift: 9 * hour, play: over(() => 0) },
    counts: (minute) => isBetween(clock(minute, 0), 18, 30),
  },
  {
    name: 'meditation at 6 h',
    right: 'not stressed',
    at: 6 * hour,
    minutes: 20,
    play: atQuiet((minute) => -minute / 7),
  },
  { name: 'stroller for 40 min', right: 'exertion', at: 15 * hour, minutes: 40, play: atQuiet(rise(24, 40, 1)) },
  {
    name: 'housework for 40 min',
    right: 'exertion',
    at: 11 * hour,
    minutes: 40,
    play: atQuiet((minute) => 17 + 6 * Math.sin(minute / 3), 4),
  },
  { name: 'hot shower', right: 'heat', at: 8 * hour, minutes: 25, play: atQuiet(rise(20, 12, 5)) },
  {
    name: 'dances in the kitchen for 10 min',
    right: 'exertion',
    at: 18 * hour,
    minutes: 20,
    play: atQuiet(rise(38, 10, 2)),
  },
  {
    name: 'stairs with 115 steps, then sits',
    ...{ right: 'at most 2 min of 12', at: 14 * hour, minutes: 14, counts: (minute) => minute >= 2 },
    play: (it) => ({ ...atQuiet(rise(45, 2, 1.5))(it), ...(it.minute < 2 && { steps_last_minute: 115 }) }),
  },
  {
    name: 'stands up: 20 bpm more, then 10 for 15 min',
    ...{ right: 'at most 2 min', at: 10 * hour, minutes: 15 },
    play: atQuiet((minute) => (minute === 0 ? 20 : 10)),
  },
  {
    name: 'third day of 8 to 17 bpm more, as in fever',
    ...{
      right: 'raised all day',
      at: 0,
      minutes: days(3),
      counts: (minute) => minute >= days(2) && clock(minute, 0) >= 8,
    },
    play: over((minute) => 12.5 + 4.5 * Math.sin(minute / 120)),
  },
  {
    name: 'heat: 9 bpm more from 11 to 20 h',
    right: 'raised all day',
    at: 11 * hour,
    minutes: 9 * hour,
    play: over(() => 9),
  },
  {
    name: 'irregular beats: 30 to 70 bpm more',
    right: 'unknown',
    at: 13 * hour,
    minutes: 40,
    play: atQuiet(() => 50, 20),
  },
  { name: 'after a run that is not stated, 90 min', right: 'recovering', ...afterRun, play: atQuiet(run) },
  {
    name: 'after a run that is stated, 90 min',
    ...{ right: 'recovering', ...afterRun },
    play: (it) => ({ ...atQuiet(run)(it), ...(it.minute < 30 && { activity_level: 'vigorous' }) }),
  },
  {
    name: 'film with a rise of 9 bpm',
    right: 'not stressed',
    at: 21 * hour,
    minutes: 90,
    play: atQuiet((minute) => (minute % 45 > 38 ? 9 : 1)),
  },
  { name: 'coffee: 5 bpm more for two hours', right: 'not stressed', at: 9 * hour, minutes: 120, play: over(() => 5) },
  { name: 'gaming: 12 bpm more', right: 'may be stressed', at: 20 * hour, minutes: 60, play: atQuiet(() => 12, 4) },
  {
    name: 'teaches, standing: 15 bpm more',
    right: 'may be stressed',
    at: 10 * hour,
    minutes: 45,
    play: atQuiet(() => 15, 4),
  },
  ...[14, 20].map((bpm): Scene => {
    return {
      name: `stress: ${bpm} bpm more for 20 min`,
      right: 'must not fall',
      at: 14 * hour,
      minutes: 20,
      play: over(() => bpm),
    };
  }),
  {
    name: 'stress at 75 years: half the rises, 8 bpm',
    right: 'must not fall',
    at: 14 * hour,
    minutes: 20,
    as: half,
    play: over(() => 8),
  },
  {
    name: 'stress with a beta blocker: half the rises, 7 bpm',
    ...{ right: 'must not fall', at: 14 * hour, minutes: 20, as: (bpm, quiet) => half(bpm, quiet) - 8 },
    play: over(() => 7),
  },
  ...[11, 14, 16, 19].map((at): Scene => {
    return {
      name: `20 bpm more at ${at} h, stressed within 10 min`,
      right: '≥ 72 %',
      at: at * hour,
      minutes: 20,
      play: over(() => 20),
      isSeen: true,
    };
  }),
];

/** The scenes start on these days of a wearer. */
const startDays = [8, 10, 12, 14, 16];

/** Returns one row per scene: the share of its minutes that are published as stressed, of those that are wrong, and the causes. */
export function sceneRows(wearers: readonly Wearer[]): TableRow[] {
  const known = new Map<Scene['as'], readonly Known[]>();
  return scenes.map((scene) => {
    const people = known.get(scene.as) ?? wearers.map((it) => learn(it, scene.as));
    known.set(scene.as, people);
    const counted = people.flatMap((it) => playScene(it, scene));
    const share = (has: (it: SessionStep) => boolean) =>
      percent(mean(counted.map((its) => (scene.isSeen ? Number(its.slice(0, 11).some(has)) : shareOf(its, has)))), 0);
    return [
      scene.name,
      scene.right,
      scenesBefore[scene.name] ?? '',
      share(isStressed),
      share(scene.isSeen ? isSeen : isWrong),
      listCauses(counted.flat()),
    ];
  });
}

/** A wearer with what the service knows before each day on which scenes start. */
interface Known extends Wearer {
  readonly rates: ReadonlyMap<number, number>;
  readonly quiet: number;
  readonly firstMs: number;
  readonly steps: readonly (SessionStep | undefined)[];
}

function learn({ person, minutes: recorded }: Wearer, as: Scene['as']): Known {
  const quiet = findQuietLevel(recorded);
  const minutes = as ? recorded.map((it) => ({ ...it, heartRate: as(it.heartRate, quiet) })) : recorded;
  const firstMs = Math.floor((minutes[0]?.atMs ?? 0) / dayMs) * dayMs;
  const steps: SessionStep[] = [];
  let step: SessionStep | undefined;
  for (const { atMs, heartRate } of minutes) {
    if (atMs > firstMs + (Math.max(...startDays) + 1) * dayMs) break;
    step = advance(step, atMs, { heart_rate: heartRate });
    steps.push(step);
  }
  const rates = new Map(minutes.map((it) => [it.atMs, it.heartRate]));
  return { person, minutes, rates, quiet, firstMs, steps };
}

/** Returns the quantile 0.3 of the heart rates between 9 and 21 h, in bpm. */
function findQuietLevel(minutes: Wearer['minutes']): number {
  const rates = minutes.filter(({ atMs }) => isAwake(atMs)).map((it) => it.heartRate);
  return rates.sort((a, b) => a - b)[Math.floor(rates.length * 0.3)] ?? 0;
}

/** Returns the minutes that count, per day on which the scene starts. */
function playScene({ minutes, rates, quiet, firstMs, steps }: Known, scene: Scene): SessionStep[][] {
  return startDays.flatMap((day) => {
    const fromMs = firstMs + day * dayMs + scene.at * minuteMs;
    const index = minutes.findIndex(({ atMs }) => atMs >= fromMs);
    const noise = seededRandom(day * 1_000 + scene.at);
    let step = steps[index - 1];
    // A person who does not wear the device in the hour before has no state to keep.
    if (!step || fromMs - step.computed.timestampMs > hour * minuteMs) return [];
    const counted: SessionStep[] = [];
    for (let minute = 0; minute < scene.minutes; minute += 1) {
      const atMs = fromMs + minute * minuteMs;
      const own = rates.get(atMs - (scene.shift ?? 0) * minuteMs);
      if (own === undefined) continue;
      step = advance(step, atMs, scene.play({ minute, own, quiet, noise: () => 2 * noise() - 1 }));
      if (scene.counts?.(minute) ?? true) counted.push(step);
    }
    return counted.length > 0 ? [counted] : [];
  });
}

function advance(before: SessionStep | undefined, atMs: number, signals: { readonly heart_rate: number }): SessionStep {
  const session: Session | undefined = before?.session;
  const heart_rate = Math.min(220, Math.max(30, Math.round(signals.heart_rate)));
  return advanceSession(session, { ...signals, heart_rate, atMs, subjectId: 'person' }, before?.baseline);
}

/** Returns true for stress that is said to be stress: a failure in a scene without stress. */
function isWrong(step: SessionStep): boolean {
  const { raised } = step.computed;
  return isStressed(step) && (!raised || raised.likely === 'stress');
}

/** Returns true for a rise that may be stress. */
function isSeen(step: SessionStep): boolean {
  const { raised } = step.computed;
  return raised ? raised.likely === 'stress' || raised.likely === 'unknown' : isStressed(step);
}

/** Returns the likely causes of the minutes, most frequent first, in percent. */
function listCauses(steps: readonly SessionStep[]): string {
  const counts = new Map<string, number>();
  for (const { computed } of steps)
    if (computed.raised) counts.set(computed.raised.likely, (counts.get(computed.raised.likely) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return sorted.map(([cause, count]) => `${cause} ${percent(count / steps.length, 0)}`).join(', ');
}

/** A state without evidence is unknown. */
function isStressed({ computed: { score, confidence } }: SessionStep): boolean {
  return confidence > 0 && toScore(score).isStressed;
}
