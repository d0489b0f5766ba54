import { normalize, readTitle } from './csv-columns.js';
import { openRows, readCell, type Row } from './csv-rows.js';
import { listMappings } from './field-map.js';
import type { Field } from './signals.js';
import { samsungSports } from './sport-numbers.js';
import { needsStart } from './csv-survey.js';
import { type Item, NotReadError, type Reader, type Recording } from './measurement.js';
import { shown } from './names.js';
import { toExercise } from './sports.js';
import { createClock, createTimeReader, readTime } from './times.js';

/** From here on, a number is a time: epoch s of 2001. */
const epochMin = 1e9;

/**
 * Returns the reader of a CSV whose rows have another shape than one measurement each. Undefined for other files. Throws an
 * error that names the vendor if the file has no heart data of minutes.
 */
export function findVendor(rows: readonly Row[], name: string): Reader | undefined {
  const [first, second] = rows;
  const cells = first?.record ?? [];
  const titles = cells.map((it) => readTitle(it).name);
  const [table = ''] = cells;
  const header = rows.find(({ record }) => !record[0]?.startsWith('#'))?.record ?? [];
  if (['_time', '_value', '_field'].every((title) => header.includes(title))) return readInflux;
  if (titles.includes('entity_id') && titles.includes('state')) return readHomeAssistant;
  if (['key', 'time', 'value'].every((title) => titles.includes(title)) && titles.includes('sid')) return readMiFitness;
  const samsung = second?.record.map((it) => it.replace(/^com\.samsung\.health\.\w+\./, '')) ?? [];
  if (/^com\.samsung\.\w+\.exercise$/.test(table) && samsung.includes('exercise_type')) return readSamsungWorkouts;
  if (table.startsWith('com.samsung.') && !/\.heart_rate$/.test(table))
    throw new NotReadError(
      `Samsung Health: the table ${shown(table)} has no heart rate of minutes: pass com.samsung.shealth.tracker.heart_rate`,
    );
  if (titles.includes('exercise_start') && titles.includes('activity_name')) return readGoogleWorkouts;
  if (titles[0] === 'cycle_start_time')
    throw new NotReadError('Whoop: one row per day: no heart rate of minutes in it');
  if (titles.includes('hrv4t_recovery_points') && !titles.includes('timestamp_measurement'))
    throw new NotReadError('HRV4Training: one row per day without a time: export timestamp_measurement as well');
  if (titles.slice(0, 3).join() === 'start,duration,value') return readWithings;
  const start = Number(cells[0]);
  if (cells[0] === '' || Number.isNaN(start)) return undefined;
  if (start < epochMin) return cells.length === 1 && isBeat(start) ? readBeats : undefined;
  if (cells[1]?.trim() === 'IBI') return readEmpaticaBeats;
  const rate = Number(second?.record[0]);
  if (cells.length > 1 || second?.record.length !== 1 || rate >= epochMin) return undefined;
  // All tables of Empatica have this shape. The heart rate has one value per second, and other tables have more.
  if (/^(acc|bvp|eda|temp)/i.test(name) || rate !== 1)
    throw new NotReadError(`Empatica: this table has no heart rate: pass HR.csv or IBI.csv`);
  return readEmpatica;
}

/** Returns true for an interval in ms or s that a list of beats may begin with. */
function isBeat(value: number): boolean {
  return (value >= 200 && value <= 3000) || (value >= 0.2 && value <= 3);
}

/** Empatica E4, HR.csv: epoch s of the start, values per second, then the values. */
async function* readEmpatica(recording: Recording): AsyncGenerator<readonly Item[]> {
  const { rows } = await openRows(recording.chunks);
  const [start, perSecond] = [await readNumber(rows), await readNumber(rows)];
  let count = 0;
  for await (const { record } of rows) {
    yield [{ field: 'heart_rate', atMs: (start + count / perSecond) * 1000, value: toNumber(record[0]) }];
    count += 1;
  }
}

/** Empatica E4, IBI.csv: epoch s of the start, then per beat the seconds since the start and the interval in s. */
async function* readEmpaticaBeats(recording: Recording): AsyncGenerator<readonly Item[]> {
  const { rows } = await openRows(recording.chunks);
  const start = await readNumber(rows);
  for await (const { record } of rows) {
    const atMs = Math.round((start + toNumber(record[0])) * 1000);
    yield [{ field: 'rr_intervals_ms', atMs, value: toNumber(record[1]) * 1000 }];
  }
}

/** A list of intervals in ms or s, one per line, as strap apps write it. */
async function* readBeats(recording: Recording): AsyncGenerator<readonly Item[]> {
  if (recording.startMs === undefined) throw needsStart('a list of beats has no times');
  const { rows } = await openRows(recording.chunks);
  let atMs = recording.startMs;
  for await (const { record } of rows) {
    const number = toNumber(record[0]);
    const value = number < 10 ? number * 1000 : number;
    if (value > 0) atMs += value;
    yield [{ field: 'rr_intervals_ms', atMs: Math.round(atMs), value }];
  }
}

/** Withings, raw_hr_hr.csv or raw_tracker_steps.csv: a start, and lists of durations in s and of values. */
async function* readWithings(recording: Recording): AsyncGenerator<readonly Item[]> {
  if (/raw_\w+/.test(recording.name) && !/_(hr|steps)/.test(recording.name))
    throw new NotReadError('Withings: this table has no heart rate: pass raw_hr_hr.csv or raw_tracker_hr.csv');
  const field = /steps/.test(recording.name) ? 'steps_last_minute' : 'heart_rate';
  const read = createTimeReader(createClock(recording.zone));
  const { rows } = await openRows(recording.chunks);
  await rows.next();
  for await (const { record } of rows) {
    const [start = '', durations, values] = record;
    let atMs = read(start);
    const lasted = listNumbers(durations);
    for (const [index, value] of listNumbers(values).entries()) {
      const untilMs = atMs + (lasted[index] ?? 0) * 1000;
      yield [{ field, atMs, value, ...(field === 'steps_last_minute' && { untilMs }) }];
      atMs = untilMs;
    }
  }
}

/** Google Takeout, UserExercises_*.csv: a workout per row, with times in UTC. */
async function* readGoogleWorkouts({ chunks }: Recording): AsyncGenerator<readonly Item[]> {
  const { rows } = await openRows(chunks);
  const titles = ((await rows.next()).value?.record ?? []).map((it) => readTitle(it).name);
  const cellOf = (record: readonly string[], title: string) => record[titles.indexOf(title)] ?? '';
  for await (const { record } of rows) {
    const [atMs, untilMs] = [readTime(cellOf(record, 'exercise_start')), readTime(cellOf(record, 'exercise_end'))];
    const workout = toExercise(cellOf(record, 'activity_name'), atMs, untilMs);
    yield workout ? [workout] : [];
  }
}

/** Samsung Health, com.samsung.shealth.exercise: a workout per row, whose sport is a number. */
async function* readSamsungWorkouts({ chunks, zone }: Recording): AsyncGenerator<readonly Item[]> {
  const { rows } = await openRows(chunks);
  await rows.next();
  const titles = ((await rows.next()).value?.record ?? []).map((it) => it.replace(/^com\.samsung\.health\.\w+\./, ''));
  const read = createTimeReader(createClock(zone));
  for await (const { record } of rows) {
    const cellOf = (title: string) => record[titles.indexOf(title)] ?? '';
    const readAt = (title: string) => read(`${cellOf(title)} ${cellOf('time_offset')}`.trim());
    const sport = samsungSports[Number(cellOf('exercise_type') || 'none')] ?? 'unnamed';
    const workout = toExercise(sport, readAt('start_time'), readAt('end_time'), {
      id: cellOf('datauuid') || undefined,
    });
    yield workout ? [workout] : [];
  }
}

/** Words of the name of an entity whose value is not of a moment. */
const isSummary = /resting|average|avg|mean|max|min|daily|target|goal|zone/;
const unreadRow = { skipped: 'a row of a type or unit that is not read', as: 'unknown_field' } as const;

/** Returns the field that an entity such as `sensor.watch_heart_rate` measures. Its steps are those of a day. */
function findEntityField(entity: string): Field | undefined {
  const name = normalize(entity);
  if (isSummary.test(name)) return undefined;
  const parts = name.split('_');
  const mapping = parts.map((_, at) => listMappings('csv').get(parts.slice(at).join('_'))).find(Boolean);
  return mapping?.field === 'steps_last_minute' ? undefined : mapping?.field;
}

/** Throws an error if rows of one field are of several entities, of which the caller chose none. */
function createEntityFinder(chosen: string | undefined) {
  const entities = new Map<Field, string>();
  return (entity: string, name = entity): Field | undefined => {
    const field = chosen === undefined || chosen === entity ? findEntityField(name) : undefined;
    const known = field && entities.get(field);
    if (known !== undefined && known !== entity)
      throw new Error(
        `several entities have a ${field} (${shown(known)}, ${shown(entity)}): choose one, e.g. --person ${shown(known)}`,
      );
    if (field) entities.set(field, entity);
    return field;
  };
}

/** Home Assistant, history.csv: a state of an entity per row. */
async function* readHomeAssistant({ chunks, zone, person }: Recording): AsyncGenerator<readonly Item[]> {
  const { rows, delimiter } = await openRows(chunks);
  const titles = ((await rows.next()).value?.record ?? []).map((it) => readTitle(it).name);
  const time = ['last_changed', 'last_updated', 'time'].map((it) => titles.indexOf(it)).find((at) => at >= 0) ?? -1;
  const [read, findField] = [createTimeReader(createClock(zone)), createEntityFinder(person)];
  for await (const { record } of rows) {
    const field = findField(record[titles.indexOf('entity_id')] ?? '');
    const value = readCell(record[titles.indexOf('state')], delimiter) ?? Number.NaN;
    yield [field ? { field, atMs: read(record[time] ?? ''), value } : unreadRow];
  }
}

/** InfluxDB, annotated CSV: tables with headers of their own, and a value of a field per row. */
async function* readInflux({ chunks, zone, person }: Recording): AsyncGenerator<readonly Item[]> {
  const { rows, delimiter } = await openRows(chunks);
  const [read, findField] = [createTimeReader(createClock(zone)), createEntityFinder(person)];
  let titles: readonly string[] = [];
  for await (const { record } of rows) {
    if (record[0]?.startsWith('#')) continue;
    if (record.includes('_time') && record.includes('_value')) {
      titles = record;
      continue;
    }
    const cellOf = (title: string) => record[titles.indexOf(title)] ?? '';
    // Home Assistant writes the unit as the measurement, and names its entity in a tag.
    const names = [cellOf('_field'), cellOf('entity_id'), cellOf('_measurement')].filter(Boolean);
    const name = names.find((it) => findEntityField(it) !== undefined);
    const field = name === undefined ? undefined : findField(cellOf('entity_id') || name, name);
    const value = readCell(cellOf('_value'), delimiter) ?? Number.NaN;
    yield [field ? { field, atMs: read(cellOf('_time')), value } : unreadRow];
  }
}

/** Mi Fitness, hlth_center_fitness_data.csv: a key and JSON per row, with times in epoch s. */
async function* readMiFitness({ chunks }: Recording): AsyncGenerator<readonly Item[]> {
  const { rows } = await openRows(chunks);
  const titles = ((await rows.next()).value?.record ?? []).map((it) => readTitle(it).name);
  for await (const { record } of rows) {
    const cellOf = (title: string) => record[titles.indexOf(title)] ?? '';
    const isRate = /^(single_)?heart_rate$/.test(cellOf('key'));
    const { bpm, time } = isRate ? readObject(cellOf('value')) : {};
    const atMs = readTime(String(time ?? cellOf('time')));
    yield [isRate ? { field: 'heart_rate', atMs, value: typeof bpm === 'number' ? bpm : Number.NaN } : unreadRow];
  }
}

function readObject(json: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(json) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}

/** Returns the numbers of a list such as `[60,60]`. */
function listNumbers(text = ''): number[] {
  return text
    .replace(/[[\]\s]/g, '')
    .split(',')
    .map(toNumber);
}

async function readNumber(rows: AsyncGenerator<Row, undefined>): Promise<number> {
  return toNumber((await rows.next()).value?.record[0]);
}

function toNumber(text = ''): number {
  return text === '' ? Number.NaN : Number(text);
}
