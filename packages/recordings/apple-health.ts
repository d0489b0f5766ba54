import { listMappings } from './field-map.js';
import type { Item, Recording } from './measurement.js';
import { toSleep } from './sources/source.js';
import { type ActivityLevel, toExercise } from './sports.js';
import { createClock, createTimeReader } from './times.js';
import { type Element, readXml } from './xml.js';

const healthFormat = {
  root: 'HealthData',
  records: ['Record', 'Workout'],
  expected: 'export.xml of Apple Health',
  remedy: 'export the data again and extract export.xml',
};
/** Elements that are no data of their own. */
const frame = ['HealthData', 'ExportDate', 'Me', 'Workout'];
const [dayMs, minuteMs] = [86_400_000, 60_000];
/** The watch measures beats for about a minute. Bounds memory. */
const beatsMax = 1_000;

/** What the elements inside of a record say. */
interface Inside {
  /** The record. Undefined if nothing was collected yet. */
  readonly record: Element | undefined;
  activity: ActivityLevel | undefined;
  readonly beats: { readonly bpm: number; readonly time: string }[];
}

/** Reads `export.xml` of Apple Health as a stream. */
export async function* readAppleHealth({ chunks, zone }: Recording): AsyncGenerator<readonly Item[]> {
  const mappings = listMappings('apple-health');
  const readTime = createTimeReader(createClock(zone));
  let inside = createInside(undefined);
  const nights = createNights();
  yield* readXml(chunks, healthFormat, (open, _, add) => {
    const { name = '', attributes = {} } = open.at(-1) ?? {};
    // A damaged record is not closed, so its elements must not count for the next one.
    if (inside.record !== open[1]) inside = createInside(open[1]);
    if (open.length > 2) return collect(name, attributes, inside);
    const { activity, beats } = inside;
    const { type = '', unit, value = '', startDate = '', endDate = '', workoutActivityType } = attributes;
    const workout =
      name === 'Workout' ? toExercise(workoutActivityType, readTime(startDate), readTime(endDate)) : undefined;
    if (workout) add(workout);
    if (frame.includes(name)) return;
    if (name === 'Record' && isAsleep(type, value)) return nights.add(readTime(startDate), readTime(endDate), add);
    const mapping = name === 'Record' ? mappings.get(type) : undefined;
    if (!mapping) return add({ skipped: describeUnread(name, type), values: 0 });
    const atMs = readTime(startDate);
    const source = nameSource(attributes);
    for (const item of listBeats(beats, startDate, atMs, readTime)) add({ ...item, source });
    if (unit !== mapping.unit) return add({ skipped: `${mapping.field} in a unit other than ${mapping.unit}` });
    const number = value.trim() === '' ? Number.NaN : Number(value);
    const isCounted = mapping.field === 'steps_last_minute';
    const measured = { field: mapping.field, value: number * mapping.factor, source, activity };
    add({ ...measured, atMs, untilMs: isCounted ? readTime(endDate) : undefined });
  });
  yield nights.end();
}

/** Returns true for a record of a stage of sleep. Those of being in bed or awake are no sleep. */
function isAsleep(type: string, value: string): boolean {
  return type === 'HKCategoryTypeIdentifierSleepAnalysis' && value.includes('Asleep');
}

/** A longer pause between stages ends a night. Nobody sleeps longer than the maximum. */
const [pauseMaxMs, nightMaxMs] = [60 * minuteMs, 16 * 60 * minuteMs];

/** Returns a collector of the stages of nights, which are adjacent records of a watch or phone in any order. */
function createNights() {
  let night: { readonly fromMs: number; readonly untilMs: number } | undefined;
  const end = () => (night ? [toSleep(night.fromMs, night.untilMs)] : []);
  return {
    end,
    add(fromMs: number, untilMs: number, add: (item: Item) => void): void {
      // The value says which stage it is.
      add({ seen: 0, context: 1 });
      const isNear = night && fromMs <= night.untilMs + pauseMaxMs && untilMs >= night.fromMs - pauseMaxMs;
      const [first, last] = [Math.min(night?.fromMs ?? fromMs, fromMs), Math.max(night?.untilMs ?? untilMs, untilMs)];
      if (isNear && last - first <= nightMaxMs) {
        night = { fromMs: first, untilMs: last };
        return;
      }
      end().forEach(add);
      night = { fromMs, untilMs };
    },
  };
}

function createInside(record: Element | undefined): Inside {
  return { record, activity: undefined, beats: [] };
}

/** Collects what an element inside of a record says. */
function collect(name: string, { key, value, bpm = '', time = '' }: Element['attributes'], inside: Inside): void {
  // 1 is sedentary, 2 is active.
  if (key === 'HKMetadataKeyHeartRateMotionContext' && value === '2') inside.activity = 'moderate';
  if (name === 'InstantaneousBeatsPerMinute' && inside.beats.length < beatsMax)
    inside.beats.push({ bpm: Number(bpm), time });
}

/** Returns the reason for which an element is skipped. The number of reasons is bounded. */
function describeUnread(name: string, type: string): string {
  if (/StateOfMind/.test(`${name}${type}`)) return 'a StateOfMind, which is no signal';
  if (/HeartRate/.test(type)) return 'a heart rate of another kind, e.g. a resting heart rate or an average';
  return name === 'Record' ? 'a record of a kind that is not read' : 'an element of a kind that is not read';
}

/**
 * Returns the beats below a record of variability. The times of its beats are local times of day. A beat whose time is not
 * readable follows the one before.
 */
function listBeats(
  beats: Inside['beats'],
  startDate: string,
  startMs: number,
  readTime: (text: string) => number,
): Item[] {
  const [, day = '', zone = ''] = /^(\S+) \S+ ?(.*)$/.exec(startDate) ?? [];
  let previousMs = startMs;
  return beats.map(({ bpm, time }) => {
    const interval = 60_000 / bpm;
    const atMs = readTime(`${day} ${time} ${zone}`);
    // A record before midnight may have beats after it.
    const onDay = atMs < startMs - dayMs / 2 ? atMs + dayMs : atMs;
    const isNear = Math.abs(onDay - startMs) < 10 * minuteMs;
    previousMs = isNear ? onDay : previousMs + (Number.isFinite(interval) ? interval : 0);
    return { field: 'rr_intervals_ms' as const, atMs: Math.round(previousMs), value: interval };
  });
}

/** Returns the app or device that wrote a record, and the model of a device whose name its owner chose. */
function nameSource({ sourceName = '', device = '' }: Element['attributes']): string | undefined {
  const [, model = ''] = /name:([^,>]+)/.exec(device) ?? [];
  return (sourceName.includes(model) ? sourceName : `${sourceName} (${model})`) || undefined;
}
