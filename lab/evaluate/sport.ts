/**
 * Measures how often an activity is stress. Writes files of four sports in the formats of activities, Fitbit and Health
 * Connect, whose heart rates are those of wearers with the rise of the sport, reads them as `tools import` does, and backfills
 * them over HTTP: without the sport, with it in each minute, and with facts that arrive before or after the heart rates.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { FitBaseType, FitEncoder } from 'fit-file-parser/encoder';
import Database from 'libsql';
import { dataDefaultPath } from '../../packages/text/training/texts.js';
import { shareOf } from '../../packages/tools/evaluate/figures/statistics.js';
import { backfill, findShift } from '../../packages/tools/evaluate/scores/replay.js';
import type { EvaluatedService } from '../../packages/tools/evaluate/scores/service.js';
import { readRecordingFile } from '../../packages/tools/recordings/load-recording.js';
import type { Fact } from '../../packages/recordings/measurement.js';
import { floorMinute } from '../../packages/recordings/history.js';
import { Minutes, type RecordedReading } from '../../packages/recordings/minutes.js';
import { readText } from '../../packages/tools/read-text.js';
import { figureColumns, percent, textTable } from '../../packages/tools/terminal/table.js';
import { launch } from '../../testkit/launch.js';
import { injectRises, isStressed, type Minute, readWearers, type Wearer } from '../../testkit/simulation/days.js';
import { withLocalService } from './support/local-service.js';

const minuteMs = 60_000;
const [activityMinutes, warmUpMinutes, secondsApart] = [40, 5, 20];

/** Sports with their rise, bpm, their name in TCX (which has three names), and their numbers in FIT and Health Connect. */
const sports = [
  { name: 'running', bpm: 75, tcx: 'Running', fit: 1, healthConnect: 33 },
  { name: 'cycling', bpm: 60, tcx: 'Biking', fit: 2, healthConnect: 4 },
  { name: 'swimming', bpm: 65, tcx: 'Other', fit: 5, healthConnect: 49 },
  { name: 'walking', bpm: 30, tcx: 'Other', fit: 11, healthConnect: 53 },
];
type Sport = (typeof sports)[number];
/** In the FIT file of a swim, a strap sends the heart rates that it stored. */
const formats = ['tcx', 'gpx', 'fit', 'fit-swim', 'fitbit', 'health-connect'] as const;
type Format = (typeof formats)[number];
const efforts = [0.5, 0.75, 1];

/** A reading of a person. An ordinary minute has no sport. */
interface Line extends RecordedReading {
  readonly sport?: string;
  readonly format?: string;
}

interface History {
  readonly lines: readonly Line[];
  readonly facts: readonly Fact[];
}

/** How the service learns of a sport. */
const ways = ['not stated', 'in each minute', 'fact first', 'fact last'] as const;
type Way = (typeof ways)[number];

const command = new Command('evaluate:sport')
  .description('Import generated activities of wearers and measure how many of their readings are stressed.')
  .option('--file <csv>', 'wearers: columns subject, local_minute, heart_rate', `${dataDefaultPath}/wearers_dev.csv`)
  .action(evaluate);
void launch(command);

async function evaluate({ file }: { readonly file: string }): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'evaluate-sport-'));
  try {
    const wearers = readWearers(readText(`--file ${file}`, file));
    const days = await Promise.all(wearers.map((it) => addActivities(it, folder)));
    const results = await withLocalService(async (service) => {
      const all: Judged[][] = [];
      for (const people of [days.flatMap((it) => it.activities), days.map((it) => it.all)])
        for (const way of ways) all.push(await replay(service, people, way, `run-${all.length}`));
      return all;
    });
    const columns = figureColumns(
      'readings',
      ...['new', 'known'].flatMap((who) => ways.map((way) => `${who}, ${way}`)),
    );
    const row = (title: string, isOf: (line: Line) => boolean) => {
      const all = results.map((judged) => judged.filter(({ line }) => line.sport && isOf(line)));
      return [title, String(all[0]?.length), ...all.map((its) => percent(shareOf(its, isStressed)))];
    };
    const rows = [
      sports.map(({ name }) => row(name, ({ sport }) => sport === name)),
      formats.map((name) => row(name, ({ format }) => format === name)),
      [row('all', () => true)],
    ];
    console.log(textTable([{ title: 'stressed or acute_stress' }, ...columns], rows));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Replaces the steadiest minutes of each day with an activity, each day one of another kind. */
async function addActivities(wearer: Wearer, folder: string): Promise<{ all: History; activities: History[] }> {
  const { person, minutes } = wearer;
  const activities: History[] = [];
  const replaced = new Set<Minute>();
  for (const [index, start] of injectRises(wearer, false).starts.entries()) {
    const sport = sports[index % sports.length] as Sport;
    const format = formats[Math.floor(index / sports.length) % formats.length] as Format;
    const fromMs = minutes[start]?.atMs ?? 0;
    const during = minutes.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + activityMinutes * minuteMs);
    for (const minute of during) replaced.add(minute);
    const effort = efforts[index % efforts.length] ?? 1;
    const raised = during.map(({ atMs, heartRate }) => {
      const bpm = effort * sport.bpm * Math.min(1, (atMs - fromMs) / (warmUpMinutes * minuteMs));
      return { atMs, heartRate: Math.min(220, Math.round(heartRate + bpm)) };
    });
    const collected = new Minutes({ hours: 24, nowMs: Date.now() });
    const points = listPoints(raised);
    for (const [name, content] of Object.entries(writers[format](points, sport))) {
      const path = join(folder, `${name.replace('.', `-${person}-${index}.`)}`);
      if (typeof content === 'function') content(path);
      else await writeFile(path, content);
      await readRecordingFile(path, {}, collected);
    }
    // An import stores a minute with its start.
    const read = collected.readings().map((it) => ({ ...it, atMs: floorMinute(it.atMs), sport: sport.name, format }));
    activities.push({ lines: read, facts: collected.facts });
  }
  const ordinary = minutes.filter((it) => !replaced.has(it));
  const lines = ordinary.map(({ atMs, heartRate }): Line => ({
    ...{ atMs, values: { heart_rate: heartRate }, counts: {} },
  }));
  const all = [...lines, ...activities.flatMap((it) => it.lines)].sort((a, b) => a.atMs - b.atMs);
  return { all: { lines: all, facts: activities.flatMap((it) => it.facts) }, activities };
}

type Judged = Parameters<typeof isStressed>[0] & { readonly line: Line };

/** Backfills each history for a person of its own, as an import does. */
async function replay(service: EvaluatedService, people: History[], way: Way, run: string): Promise<Judged[]> {
  const histories = people.map(({ lines, facts }, person) => ({ id: `${run}-${person}`, readings: lines, facts }));
  const movedMs = findShift(service, histories);
  const toTime = (atMs: number) => new Date(atMs + movedMs).toISOString();
  const putFacts = async () => {
    for (const { id, facts } of histories)
      for (const [at, { kind, level, atMs, untilMs = atMs }] of facts.entries()) {
        const stated = { subject_id: id, kind, ...(level && { level }), start: toTime(atMs), end: toTime(untilMs) };
        await service.client.putFact(`${id}-${at}`, stated);
      }
  };
  if (way === 'fact first') await putFacts();
  const answers = await backfill(service, histories, ({ atMs, values: { heart_rate = 0, activity_level } }) => {
    const stated = way === 'in each minute' && activity_level && { activity_level };
    return { sample_id: `minute-${atMs}`, heart_rate, ...stated };
  });
  if (way !== 'fact last') return answers.flat().map(({ reading, answer }) => ({ ...answer, line: reading }));
  await putFacts();
  const judged: Judged[] = [];
  for (const { id, readings } of histories) {
    const lines = new Map(readings.map((it) => [toTime(it.atMs), it]));
    for await (const { reading, computed } of service.client.exportReadings({ subjectId: id })) {
      const line = lines.get(reading.timestamp);
      const { state, confidence } = computed;
      if (line) judged.push({ state, ...(confidence === 0 && { evidence: 'none' as const }), line });
    }
  }
  return judged;
}

/** Returns the heart rates between the minutes, as a device records them. */
function listPoints(minutes: readonly Minute[]): Minute[] {
  const times = Array.from({ length: 60 / secondsApart }, (_, index) => index * secondsApart * 1000);
  return minutes.flatMap(({ atMs, heartRate }) => times.map((ms) => ({ atMs: atMs + ms, heartRate })));
}

const iso = ({ atMs }: Minute) => new Date(atMs).toISOString();
/** The content of a file, or a function that writes it. */
type Content = string | Uint8Array | ((path: string) => void);
/** The files of an activity by name. */
const writers: Readonly<Record<Format, (points: readonly Minute[], sport: Sport) => Record<string, Content>>> = {
  tcx(points, { tcx }) {
    const value = ({ heartRate }: Minute) => `<HeartRateBpm><Value>${heartRate}</Value></HeartRateBpm>`;
    const rows = points.map((it) => `<Trackpoint><Time>${iso(it)}</Time>${value(it)}</Trackpoint>\n`).join('');
    return {
      'a.tcx': `<TrainingCenterDatabase><Activity Sport="${tcx}">${rows}</Activity></TrainingCenterDatabase>`,
    };
  },
  gpx(points, { name }) {
    const rows = points.map((it) => `<trkpt><time>${iso(it)}</time><hr>${it.heartRate}</hr></trkpt>\n`).join('');
    return { 'a.gpx': `<gpx><trk><type>${name}</type><trkseg>${rows}</trkseg></trk></gpx>` };
  },
  fit: (points, sport) => ({ 'a.fit': writeFit(points, sport, false) }),
  'fit-swim': (points, sport) => ({ 'swim.fit': writeFit(points, sport, true) }),
  fitbit(points, { name }) {
    const toTime = (it: Minute) => iso(it).replace(/^..(..)-(..)-(..)T(.{8}).*$/, '$2/$3/$1 $4');
    const rates = points.map((it) => ({ dateTime: toTime(it), value: { bpm: it.heartRate, confidence: 2 } }));
    const [first, last] = [points[0] as Minute, points.at(-1) as Minute];
    const exercise = { activityName: name, startTime: toTime(first), duration: last.atMs - first.atMs };
    return { 'heart_rate-.json': JSON.stringify(rates), 'exercise-.json': JSON.stringify([exercise]) };
  },
  'health-connect': (points, { healthConnect }) => ({
    'health_connect.db'(path: string) {
      const database = new Database(path);
      const rows = points.map(({ atMs, heartRate }) => `(1, ${heartRate}, ${atMs})`).join();
      database.exec(`
        CREATE TABLE heart_rate_record_series_table (parent_key INTEGER, beats_per_minute INTEGER, epoch_millis INTEGER);
        INSERT INTO heart_rate_record_series_table VALUES ${rows};
        CREATE TABLE exercise_session_record_table (start_time INTEGER, end_time INTEGER, exercise_type INTEGER);
        INSERT INTO exercise_session_record_table VALUES (${points[0]?.atMs}, ${points.at(-1)?.atMs}, ${healthConnect})`);
      database.close();
    },
  }),
};

/** Writes the heart rates as records, or as what a strap stored while the watch recorded a lower rate of its own. */
function writeFit(points: readonly Minute[], { fit }: Sport, isStored: boolean): Uint8Array {
  const encoder = new FitEncoder({ protocolVersion: 0x20 });
  const field = (number: number, size: number, baseType: FitBaseType, value: number | Uint8Array) => ({
    ...{ number, size, baseType, value },
  });
  const byte = (number: number, value: number) => field(number, 1, FitBaseType.Uint8, value);
  const uint32 = (number: number, value: number) => field(number, 4, FitBaseType.Uint32, value);
  const time = (number: number, { atMs }: Minute) => uint32(number, FitEncoder.toFitTimestamp(new Date(atMs)));
  for (const it of points) encoder.writeMessage(20, [time(253, it), byte(3, isStored ? 60 : it.heartRate)]);
  if (isStored)
    for (const it of points)
      encoder.writeMessage(
        132,
        [
          time(253, it),
          field(6, 1, FitBaseType.Uint8, new Uint8Array([it.heartRate])),
          uint32(9, (it.atMs % 86_400_000) | 0),
        ],
        2,
      );
  const [[first], last] = [points, points.at(-1)];
  if (first && last) encoder.writeMessage(18, [time(253, last), time(2, first), byte(5, fit)], 1);
  return encoder.close();
}
