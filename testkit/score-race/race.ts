/**
 * Compares the CPU time of `processReading` in several bundles, in one process: `node race.js WARM_UP MEASURED BUNDLE …`.
 * Prints a `Pace` per bundle as JSON. The bundles process the same group of readings in turns, in slices of about 2 ms, so
 * that a busy machine disturbs all of them alike. `WARM_UP` and `MEASURED` are numbers of slices.
 */
import { pathToFileURL } from 'node:url';
import { createReadings, type RaceReading } from './readings.js';

/** The CPU time of a reading, in µs. */
export interface Pace {
  /** The lower quartile of all slices. Few of these slices collect garbage. */
  readonly quartile: number;
  /** The mean of all slices, with the collection of garbage. */
  readonly mean: number;
}

interface Progress {
  readonly changedSessions: ReadonlyMap<string, unknown>;
  readonly changedSubjects: ReadonlyMap<string, unknown>;
}

/** What `src/readings/advance.ts` exports, also in 1.0.0. */
interface Score {
  readonly beginProgress: (found: object) => Progress;
  readonly processReading: (progress: Progress, reading: RaceReading) => { readonly kind: string };
}

/** So many that reading the CPU time costs little. */
const readingsPerSlice = 50;

/** Returns a function that processes a group of readings, and returns its CPU time per reading in µs. */
function createRunner({ beginProgress, processReading }: Score) {
  const sessions = new Map<string, unknown>();
  const subjects = new Map<string, unknown>();
  return (readings: readonly RaceReading[]): number => {
    const found = {
      sessions: new Map(readings.map((it) => [it.sessionId, sessions.get(it.sessionId) ?? { incarnation: '0' }])),
      subjects: new Map(readings.flatMap(({ subjectId: id }) => (id ? [[id, subjects.get(id)]] : []))),
      ...{ alreadyStored: new Map(), others: new Map(), erasedAtMs: () => 0, nowMs: readings[0]?.timestampMs },
    };
    const before = process.cpuUsage();
    const progress = beginProgress(found);
    const taken = readings.filter((it) => processReading(progress, it).kind === 'taken');
    const { user, system } = process.cpuUsage(before);
    if (taken.length < readings.length) throw new Error('a reading was not taken');
    for (const [id, session] of progress.changedSessions) sessions.set(id, session);
    for (const [id, subject] of progress.changedSubjects) subjects.set(id, subject);
    return (user + system) / readings.length;
  };
}

function toPace(spent: readonly number[]): Pace {
  const ascending = spent.toSorted((a, b) => a - b);
  return { quartile: ascending[spent.length >> 2] ?? 0, mean: spent.reduce((sum, it) => sum + it, 0) / spent.length };
}

const [warmUp = '', measured = '', ...bundles] = process.argv.slice(2);
const modules = await Promise.all(bundles.map((it) => import(pathToFileURL(it).href)));
const runners = modules.map((it) => ({ run: createRunner(it as Score), spent: [] as number[] }));
const read = createReadings();
for (let slice = -Number(warmUp); slice < Number(measured); slice += 1) {
  const readings = read(readingsPerSlice);
  // Each bundle is the first one equally often, because the first one reads the readings into the cache.
  const first = (slice + Number(warmUp)) % runners.length;
  for (const { run, spent } of [...runners.slice(first), ...runners.slice(0, first)]) {
    const us = run(readings);
    if (slice >= 0) spent.push(us);
  }
}
console.log(JSON.stringify(runners.map(({ spent }) => toPace(spent))));
