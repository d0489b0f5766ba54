import { sources as settings } from '../../generated/spec.js';
import { type Account, countLeaves, createAccount, outcomes } from '../../packages/recordings/account.js';
import {
  countStated,
  createFactId,
  type DeviceMinute,
  findFactRevision,
  floorMinute,
  nameSample,
  planHistory,
  toMinuteKey,
  type StatedValues,
} from '../../packages/recordings/history.js';
import type { Fact, Item, Measurement } from '../../packages/recordings/measurement.js';
import { Minutes, type RecordedReading } from '../../packages/recordings/minutes.js';
import type { Submission as Values } from '../../packages/recordings/signals.js';
import {
  isPossible,
  type MinuteSamples,
  summarizeSamples,
  type TimedValue,
  uniteSamples,
} from '../../packages/recordings/united.js';
import { findHub, sources } from '../../packages/recordings/sources/index.js';
import { type Mood, notRead } from '../../packages/recordings/sources/source.js';
import { createTimeReader, createZones, type FindClock } from '../../packages/recordings/times.js';
import type { Submission } from '../contract/contract.js';
import type { Grant, Sender } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import type { Pause } from '../store/scope.js';
import type { StatedFact } from './facts.js';
import type { PrepareReading } from './intake.js';
import { countSamples } from './merge.js';
import type { PreparedReading } from './prepared-reading.js';

/*
 * What an app posts becomes readings in two ways. Samples of the last minutes are live: one reading each, at its own time.
 * Older samples become one reading per minute and kind of signal, as an import stores them. Its id says which minute of which
 * device it is, so a resend changes nothing, and further samples of a minute are added to it. A workout is a fact: it
 * counts for the readings of its time, whichever arrives first.
 */

/** A reading of a post. Plain data. */
export interface PostedReading {
  readonly reading: PreparedReading;
  /** The minute of a reading of the history. Absent for a live reading. */
  readonly minute?: DeviceMinute | undefined;
  /** Numbers of the values of the body that the reading has. */
  readonly values: StatedValues;
}

/** Readings of a person. Plain data. */
export interface PostedGroup {
  readonly subjectId: string;
  readonly count: number;
  /** A list of `PostedReading`. Text, because many objects would hold up the thread that sends them to another one. */
  readonly json: string;
}

/** What a person said to feel, as feedback states it. Plain data. */
export interface PostedReport {
  readonly subjectId: string;
  readonly timestampMs: number;
  /** 0 to 10. */
  readonly stress: number;
}

/** What happened to a person in an interval. Plain data. */
export interface PostedFact {
  readonly subjectId: string;
  readonly fact: StatedFact;
}

export interface Post {
  readonly facts: readonly PostedFact[];
  readonly groups: readonly PostedGroup[];
  readonly reports: readonly PostedReport[];
  /** Numbers of samples that are not stored, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  /** The outcomes of the values if all readings are stored. */
  readonly values: Account;
  /** What was inferred, for people. */
  readonly notes: readonly string[];
  /** Device of the newest reading. */
  readonly device: string | undefined;
  /** RETENTION_READINGS_HOURS that stores all samples. Undefined if the present one does. */
  readonly neededHours: number | undefined;
}

export interface PostParts {
  readonly prepare: PrepareReading;
  readonly nowMs: number;
  readonly maxTimestampAgeMs: number;
  /** Maximum age of a reading of the history: the retention of readings. */
  readonly maxBackfillAgeMs: number;
}

const [hourMs, minuteMs, dayHours] = [3_600_000, 60_000, 24];
/** Maximum of RETENTION_READINGS_HOURS. */
const retentionHoursMax = 87_600;
/** Items that are collected before other work runs. */
const itemsAtOnce = 250;
const readingsAtOnce = 200;
/** Facts of a post. Further ones are skipped (`rate`). */
const factsMax = 500;

type Skip = (reason: string, count?: number) => void;

/** Returns the readings of a parsed body of a caller with a source key. Throws a `SourceFormError` for another form. */
export function createReadPost({ prepare, nowMs, maxTimestampAgeMs, maxBackfillAgeMs }: PostParts) {
  return async (caller: Grant, body: unknown, pause: Pause): Promise<Post> => {
    const { sender, subjectId: own } = caller;
    if (!sender) throw new Error('a post requires a source key');
    const skipped: Record<string, number> = {};
    const skip: Skip = (reason, count = 1) => {
      if (count > 0) skipped[reason] = (skipped[reason] ?? 0) + count;
    };
    const [values, notes] = [createAccount(), new Set<string>()];
    const count = (account: Account) => {
      for (const outcome of outcomes) values[outcome] += account[outcome];
    };
    const groups: PostedGroup[] = [];
    const reports: PostedReport[] = [];
    const facts: PostedFact[] = [];
    let [device, oldestMs]: [string | undefined, number] = [undefined, nowMs];
    const findClock = createZones();
    for (const [subjectId, events] of listPeople(sender, own, body)) {
      await pause(events.length);
      const collected = await collect(readItems(sender, events, { nowMs, findClock }), skip, pause);
      for (const note of collected.notes.slice(0, notesMax)) notes.add(note.slice(0, noteMaxCharacters));
      const { used, merged, ...others } = collected.account;
      count({ ...others, used: 0, merged: 0 });
      // Those of a person that is not known, and of readings that are left out.
      let left = used + merged + collected.moods.length;
      const take = (taken: StatedValues) => {
        values.used += taken.used;
        values.merged += taken.merged;
        left -= taken.used + taken.merged;
      };
      if (subjectId === undefined) {
        values.refused += left;
        skip('unknown_person', collected.readings.length + collected.moods.length + collected.facts.length);
        continue;
      }
      device = collected.readings.at(-1)?.values.source_device;
      oldestMs = Math.min(oldestMs, collected.oldestMs);
      const live = await mergeLive(collected, pause);
      for (const some of inGroups(toSubmissions(subjectId, live, collected), readingsAtOnce)) {
        const posted = some.flatMap(({ submission, minute, values: stated }): PostedReading[] => {
          const own = uniteOwn(submission, minute, collected.samples);
          const reading = prepareOne(caller, own?.submission ?? submission, skip);
          if (!reading) return [];
          take(stated);
          return [{ reading: own ? { ...reading, samples: own.samples } : reading, minute, values: stated }];
        });
        if (posted.length > 0) groups.push({ subjectId, count: posted.length, json: JSON.stringify(posted) });
        await pause(some.length);
      }
      for (const fact of collected.facts) {
        const isOld = (fact.untilMs ?? fact.atMs) < nowMs - maxBackfillAgeMs;
        if (isOld) skip('too_old');
        else if (facts.length >= factsMax) skip('rate');
        else facts.push({ subjectId, fact: toStated(subjectId, sender.source, fact) });
      }
      for (const { valence, atMs } of collected.moods)
        if (reports.length < settings.reports_max) {
          reports.push({ subjectId, timestampMs: atMs, stress: Math.round(5 - 5 * valence) });
          take({ used: 1, merged: 0 });
        } else skip('rate');
      values.refused += left;
    }
    const isWhole = oldestMs >= nowMs - maxBackfillAgeMs;
    const neededHours = isWhole ? undefined : toNeededHours(nowMs - oldestMs);
    return { facts, groups, reports, skipped, values, notes: [...notes].slice(0, notesMax), device, neededHours };
  };

  async function collect(all: Iterable<Item | Mood>, skip: Skip, pause: Pause): Promise<Collected> {
    const minutes = new Minutes({ hours: Math.ceil(maxBackfillAgeMs / hourMs) + 1, nowMs, marksFacts: false });
    const moods: Mood[] = [];
    let live: LiveSample[] = [];
    const samples = new Map<string, Record<string, TimedValue[]>>();
    let oldestMs = nowMs;
    // The samples of a minute are stored in one way, also if only its end is live.
    const [liveFromMs, minuteFromMs] = [nowMs - maxTimestampAgeMs, floorMinute(nowMs - maxTimestampAgeMs)];
    for (const items of inGroups(all)) {
      const known: Item[] = [];
      for (const item of items) {
        if ('valence' in item) {
          moods.push(item);
          // Its value is taken when it becomes a report.
          known.push({ seen: -1, context: 0 });
        } else known.push(item);
        if ('atMs' in item && item.atMs > nowMs - retentionHoursMax * hourMs) oldestMs = Math.min(oldestMs, item.atMs);
        if (!('field' in item)) continue;
        const device = minutes.findLabel(item.source);
        if (item.atMs >= minuteFromMs) live.push({ ...item, device });
        else addSample(samples, item, device);
      }
      minutes.add(known);
      if (live.length > settings.stored_readings.quota)
        skip('rate', live.splice(settings.stored_readings.quota).length);
      await pause(items.length);
    }
    const isEdgeLive = live.some(({ atMs }) => atMs >= liveFromMs && floorMinute(atMs) === minuteFromMs);
    if (!isEdgeLive) live = live.filter(({ atMs }) => floorMinute(atMs) !== minuteFromMs);
    const readings: RecordedReading[] = [];
    for (const some of inGroups(minutes.inOrder(), readingsAtOnce)) {
      readings.push(...some.flat());
      await pause(some.length);
    }
    for (const [reason, count] of minutes.skipped) skip(toReason(reason), count);
    return {
      readings,
      live,
      samples,
      moods,
      facts: minutes.facts,
      oldestMs,
      account: minutes.account,
      notes: minutes.notes,
    };
  }

  function prepareOne(caller: Grant, submission: Submission, skip: Skip): PreparedReading | undefined {
    try {
      const reading = prepare(caller, submission);
      return { ...reading, ...(reading.sample && { sample: { ...reading.sample, isSourced: true as const } }) };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const isOld = error.code === 'timestamp_too_old';
      // Of the minute at the edge.
      if (isOld && !submission.backfill) return prepareOne(caller, { ...submission, backfill: true }, skip);
      skip(isOld ? 'too_old' : 'invalid');
      return undefined;
    }
  }
}

function toStated(subjectId: string, source: string, fact: Fact): StatedFact {
  const { kind, level, atMs: startMs, untilMs: endMs } = fact;
  const factId = createFactId(subjectId, source, fact);
  return { factId, kind, level, startMs, endMs, revision: findFactRevision(fact), source };
}

/** Returns the hours for samples up to this age: whole days, because the oldest sample of a day ages until its end. */
function toNeededHours(ageMs: number): number {
  return Math.min(retentionHoursMax, Math.ceil(ageMs / hourMs / dayHours) * dayHours + 1);
}

/** A measurement with the label of its device. */
interface LiveSample extends Measurement {
  readonly device: string | undefined;
}

/** What a body states about a person. */
interface Collected {
  readonly readings: readonly RecordedReading[];
  readonly live: readonly LiveSample[];
  /** The samples of the minutes of devices, by `toMinuteKey`. */
  readonly samples: ReadonlyMap<string, MinuteSamples>;
  readonly moods: readonly Mood[];
  readonly facts: readonly Fact[];
  /** Time of the oldest sample, also of one that is skipped as too old, in epoch ms. */
  readonly oldestMs: number;
  /** Of all values, without moods. */
  readonly account: Account;
  readonly notes: readonly string[];
}

/** Bounds of the contract. */
const [notesMax, noteMaxCharacters] = [20, 400];
const idFormat = /^(?!\.\.?$)[!-~]{1,238}$/;

/** Returns the events by person. Those of a hub have no person if the hub names none with a possible id. */
function listPeople(
  { source }: Sender,
  subjectId: string | undefined,
  body: unknown,
): Iterable<[string | undefined, readonly unknown[]]> {
  const hub = findHub(source);
  if (!hub) return [[subjectId, [body]]];
  const people = new Map<string | undefined, unknown[]>();
  for (const event of Array.isArray(body) ? body : [body]) {
    const id = hub.readPerson(event);
    const person = typeof id === 'string' && idFormat.test(id) ? id : undefined;
    const events = people.get(person);
    if (events) events.push(event);
    else people.set(person, [event]);
  }
  return people;
}

function* readItems(
  { source, timeZone }: Sender,
  events: readonly unknown[],
  { nowMs, findClock }: { readonly nowMs: number; readonly findClock: FindClock },
): Generator<Item | Mood> {
  const clock = (timeZone === null ? undefined : findClock(timeZone)) ?? (() => Number.NaN);
  const time = { readTime: createTimeReader(clock, undefined, findClock), nowMs };
  for (const event of events) {
    yield countLeaves(event);
    yield* sources[source].read(event, time);
  }
}

function* inGroups<T>(items: Iterable<T>, size = itemsAtOnce): Generator<readonly T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** Translates the reasons of the minutes to those of the contract. */
function toReason(reason: string): string {
  if (reason === notRead) return notRead;
  if (reason.startsWith('another device')) return 'other_device';
  if (reason.startsWith('older than') || reason.startsWith('time before')) return 'too_old';
  return reason.startsWith('no heart rate') ? 'no_heart_data' : 'invalid';
}

interface Submitted {
  readonly submission: Submission;
  readonly values: StatedValues;
  readonly minute?: PostedReading['minute'];
}

/** Yields them step by step, because the ids of many readings take long. */
function* toSubmissions(subjectId: string, merged: Iterable<LiveReading>, collected: Collected): Generator<Submitted> {
  for (const { atMs, device, values, counts } of merged)
    yield {
      submission: { ...nameSample(subjectId, 'live', device, atMs), ...values },
      values: countStated(values, counts),
    };
  yield* toHistory(subjectId, collected);
}

interface LiveReading extends Pick<LiveSample, 'atMs' | 'device'> {
  readonly values: Partial<Values>;
  /** Numbers of the samples by field. Those of the steps of a minute are with its first reading. */
  readonly counts: Record<string, number>;
}

/** Returns one reading per time and device of the live samples, with the movement that the post states for its minute. */
async function mergeLive({ readings, live }: Collected, pause: Pause): Promise<Iterable<LiveReading>> {
  const byMinute = new Map(readings.map((it) => [floorMinute(it.atMs), it]));
  const merged = new Map<string, LiveReading>();
  const taken = new Set<RecordedReading>();
  for (const some of inGroups(live)) {
    for (const sample of some) mergeSample(merged, byMinute.get(floorMinute(sample.atMs)), taken, sample);
    await pause(some.length);
  }
  // A reading is scored after those before it, in whatever order the body has them.
  return [...merged.values()].sort((a, b) => a.atMs - b.atMs);
}

function mergeSample(
  merged: Map<string, LiveReading>,
  minute: RecordedReading | undefined,
  taken: Set<RecordedReading>,
  { field, atMs, value, device, activity }: LiveSample,
): void {
  const ofMinute = minute?.values;
  // The minutes have counted what is not valid and what is of another device, and steps are a part of their minute.
  if (!minute || !ofMinute || Number.isNaN(value) || field === 'steps_last_minute') return;
  if (ofMinute[field] === undefined || device !== ofMinute.source_device) return;
  const { source_device, steps_last_minute, activity_level = activity } = ofMinute;
  const context = { ...(source_device && { source_device }), ...(activity_level && { activity_level }) };
  const steps = steps_last_minute === undefined ? {} : { steps_last_minute };
  const key = `${atMs} ${device ?? ''}`;
  const known = merged.get(key) ?? {
    atMs,
    device,
    values: { ...context, ...steps },
    counts: countSteps(minute, taken),
  };
  merged.set(key, known);
  known.counts[field] = (known.counts[field] ?? 0) + 1;
  if (field === 'rr_intervals_ms')
    known.values[field] = [...(known.values[field] ?? []), Math.round(value)].slice(0, 64);
  else known.values[field] = value;
}

/** Returns the number of values of the steps of a minute, once. */
function countSteps(minute: RecordedReading, taken: Set<RecordedReading>): LiveReading['counts'] {
  const { steps_last_minute = 0 } = taken.has(minute) ? {} : minute.counts;
  taken.add(minute);
  return { steps_last_minute };
}

/** Adds a sample to those of its minute and device. The steps of an interval are distributed evenly over its minutes. */
function addSample(all: Map<string, Record<string, TimedValue[]>>, sample: Measurement, device: string | undefined) {
  const { field, atMs, untilMs = atMs, value, isRate } = sample;
  const add = (fromMs: number, part: number) => {
    const key = toMinuteKey({ atMs: fromMs, device });
    const minute = all.get(key) ?? {};
    all.set(key, minute);
    (minute[field] ??= []).push([atMs - floorMinute(fromMs), part]);
  };
  if (field === 'rr_intervals_ms' || !Number.isFinite(atMs) || untilMs - atMs > hourMs) return;
  if (field !== 'steps_last_minute' || isRate) return isPossible(field, value) ? add(atMs, value) : undefined;
  const lengthMs = Math.max(1, untilMs - atMs);
  for (let fromMs = atMs; fromMs < atMs + lengthMs;) {
    const toMs = Math.min(atMs + lengthMs, floorMinute(fromMs) + minuteMs);
    add(fromMs, (value * (toMs - fromMs)) / lengthMs);
    fromMs = toMs;
  }
}

/** Returns a minute of the history with the samples that it consists of. Undefined for another reading. */
function uniteOwn(submission: Submission, minute: DeviceMinute | undefined, all: Collected['samples']) {
  const own = minute && Object.entries(all.get(toMinuteKey(minute)) ?? {}).filter(([field]) => field in submission);
  if (!own || own.length === 0) return undefined;
  const samples = uniteSamples({}, Object.fromEntries(own));
  const sample_revision = countSamples(samples, submission.rr_intervals_ms?.length ?? 0);
  return { submission: { ...submission, ...summarizeSamples(samples), sample_revision }, samples };
}

/** Yields the readings of the minutes without a live sample. */
function* toHistory(subjectId: string, { readings, live }: Collected): Generator<Submitted> {
  const liveMinutes = new Set(live.map(({ atMs }) => floorMinute(atMs)));
  // A minute with many beats has several readings, which are planned together.
  for (let from = 0; from < readings.length;) {
    const minute = floorMinute(readings[from]?.atMs ?? 0);
    let until = from + 1;
    while (until < readings.length && floorMinute(readings[until]?.atMs ?? 0) === minute) until += 1;
    if (!liveMinutes.has(minute)) yield* planHistory(subjectId, readings.slice(from, until));
    from = until;
  }
}
