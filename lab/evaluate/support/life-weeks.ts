import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { areaOfTopic, type TopicName } from '../../../packages/text/vocabulary.js';
import { intervalOverPeople } from '../../../packages/tools/evaluate/statistics.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { readWearers } from '../../../testkit/simulation/days.js';
import { readStreams } from '../../../testkit/simulation/stream.js';
import { liveThrough, type Remembered } from './weeks-run.js';
import { judgeMessages } from './weeks-texts.js';
import { measureRises, simulateLives, startMs } from './weeks-world.js';

const [calmFromDay, weeksDays, dayMs, peopleMax] = [14, 21, 86_400_000, 6];
const calmFromMs = startMs + calmFromDay * dayMs;

type Counts = readonly [part: number, whole: number];

/** Returns what Trigger Memory finds from the heart rate alone, with intervals over wearers. */
export async function judgeWeeks(data: string, seeds: readonly number[]): Promise<TableRow[]> {
  const read = (name: string) => readFile(join(data, name), 'utf8');
  const wearers = readWearers(await read('wearers_dev.csv'));
  const rises = measureRises(readStreams(await read('wrist_dev.csv')) ?? []);
  const runs = seeds.map((seed) => {
    const messages = judgeMessages(data, seed);
    const live = (options?: Parameters<typeof simulateLives>[4]) =>
      simulateLives(wearers, rises, messages, seed, options).map((life) => liveThrough(life, 'heart', 'shared', seed));
    const days = [weeksDays, weeksDays] as const;
    return { lives: live(), threeWeeks: live({ days }), calmed: live({ days, calmFromDay }) };
  });
  const [lives, threeWeeks] = [runs.flatMap((it) => it.lives), runs.flatMap((it) => it.threeWeeks)];
  const resolved = runs.map(({ calmed }, index) => {
    const people = calmed
      .map(countResolved)
      .filter(([, topics]) => topics > 0)
      .slice(0, peopleMax);
    return `seed ${seeds[index]}: ${people.filter(([count]) => count > 0).length} of ${people.length}`;
  });
  return [
    ['weeks, by topic: precision', '≥ 0.80', share(lives, countRight)],
    ['weeks, by topic: recall', '≥ 0.45', share(lives, countFound)],
    ['three weeks, by area: recall', '≥ 0.75', share(threeWeeks, countAreas)],
    ['people with a topic resolved within 7 days of the last stress', '4 of 6', resolved.join(', ')],
  ];
}

function share(people: readonly Remembered[], count: (it: Remembered) => Counts): string {
  const figure = (groups: readonly (readonly Remembered[])[]) => {
    const counts = groups.flat().map(count);
    return counts.reduce((sum, [part]) => sum + part, 0) / counts.reduce((sum, [, whole]) => sum + whole, 0);
  };
  const wearers = [...new Set(people.map(({ life }) => life.wearer))];
  const groups = wearers.map((wearer) => people.filter(({ life }) => life.wearer === wearer));
  const [low, high] = intervalOverPeople(groups, figure);
  return `${figure(groups).toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
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
