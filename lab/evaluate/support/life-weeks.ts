import { areaOfTopic, type TopicName } from '../../../packages/text/vocabulary.js';
import { type Counts, estimate, printEstimate, quotient } from '../../../packages/tools/evaluate/figures/statistics.js';
import { readWorld } from '../../../packages/tools/evaluate/protocol/weeks.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { readFrom } from '../../../packages/tools/read-text.js';
import { mapWithProgress } from '../../../packages/tools/terminal/progress.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { type Life, liveTwice, type Remembered, type Sharing } from './weeks-run.js';
import { judgeMessages } from './weeks-texts.js';
import { type LifeOptions, simulateLives, startMs } from '../../../packages/tools/evaluate/protocol/weeks-world.js';

const [calmFromDay, weeksDays, dayMs, peopleMax] = [14, 21, 86_400_000, 6];
const calmFromMs = startMs + calmFromDay * dayMs;

/** What is remembered of the people of a seed after three weeks, and after three weeks of which the third is calm. */
interface Run {
  readonly seed: number;
  readonly weeks: readonly Remembered[];
  readonly calmed: readonly Remembered[];
}

/** Returns what Trigger Memory finds from the heart rate alone, with intervals over wearers. */
export async function judgeWeeks(data: string, seeds: readonly number[], sharing: Sharing): Promise<TableRow[]> {
  const { wearers, rises } = readWorld(readFrom(data));
  const days = [weeksDays, weeksDays] as const;
  const runs = await mapWithProgress(seeds, 'seeds of the weeks', (seed): Run => {
    const messages = judgeMessages(data, seed);
    const simulate = (options: LifeOptions) => simulateLives(wearers, rises, messages, seed, { days, ...options });
    const calmer = simulate({ calmFromDay });
    const pairs = simulate({}).map((life, at) => liveTwice(life, calmer[at] as Life, calmFromMs, sharing));
    return { seed, weeks: pairs.map(([life]) => life), calmed: pairs.map(([, life]) => life) };
  });
  const [weeks, calmed] = [runs.flatMap((it) => it.weeks), runs.flatMap((it) => it.calmed)];
  return [
    ['three weeks, by topic: precision', '≥ 0.80', share(weeks, countRight)],
    ['three weeks, by topic: recall', '≥ 0.45', share(weeks, countFound)],
    ['three weeks, by area: recall', '≥ 0.75', share(weeks, countAreas)],
    ...runs.map((run) => [`seed ${run.seed}: people with a topic resolved within 7 days`, '4 of 6', countPeople(run)]),
    ['topics that no longer stress, resolved within 7 days', '', share(calmed, countResolved)],
  ];
}

function countPeople({ calmed }: Run): string {
  const all = calmed.map(countResolved).filter(([, topics]) => topics > 0);
  const people = all.slice(0, peopleMax);
  return `${people.filter(([count]) => count > 0).length} of ${people.length}`;
}

function share(people: readonly Remembered[], count: (it: Remembered) => Counts): string {
  const wearers = [...groupBy(people, ({ life }) => life.wearer).values()].map((own) => own.map(count));
  return printEstimate(
    estimate(wearers, (groups) => quotient(groups.flat())),
    (value) => value.toFixed(2),
  );
}

const rightIn = ({ active, stressful }: Remembered): number => [...active].filter((it) => stressful.has(it)).length;
const countRight = (it: Remembered): Counts => [rightIn(it), it.active.size];
const countFound = (it: Remembered): Counts => [rightIn(it), it.stressful.size];

/** Counts the areas that a rise followed at least twice, and those of them with an active topic. */
function countAreas({ life, active }: Remembered): Counts {
  const risen = life.turns.flatMap(({ isStressful, message: { area } }) => (isStressful && area ? [area] : []));
  const stressful = [...new Set(risen)].filter((area) => risen.filter((it) => it === area).length >= 2);
  const found = new Set([...active].map((topic) => areaOfTopic.get(topic as TopicName)));
  return [stressful.filter((area) => found.has(area)).length, stressful.length];
}

/** Counts the active topics that are still talked about and no longer stress, and those of them that were resolved. */
function countResolved({ triggers, stressful }: Remembered): Counts {
  const calmed = [...triggers].filter(([topic, { changes, lastSeenMs }]) => {
    const status = changes.findLast(({ atMs }) => atMs <= calmFromMs)?.status;
    return stressful.has(topic) && status === 'active' && lastSeenMs > calmFromMs + dayMs;
  });
  const isResolved = ([, { changes }]: (typeof calmed)[number]) =>
    changes.some(({ status, atMs }) => status === 'resolved' && atMs > calmFromMs);
  return [calmed.filter(isResolved).length, calmed.length];
}
