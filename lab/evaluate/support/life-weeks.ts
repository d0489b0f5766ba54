import { areaOfTopic, type TopicName } from '../../../packages/text/vocabulary.js';
import { type Counts, estimate, printEstimate, quotient } from '../../../packages/tools/evaluate/figures/statistics.js';
import { readWearers } from '../../../packages/tools/evaluate/protocol/wearers.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { readFrom } from '../../../packages/tools/read-text.js';
import { mapWithProgress } from '../../../packages/tools/terminal/progress.js';
import type { TableRow } from '../../../packages/tools/terminal/table.js';
import { endsMs, type Evenings, simulateEvenings } from './weeks-evenings.js';
import { liveThrough, type Mode, type Remembered } from './weeks-run.js';
import { judgeMessages } from './weeks-texts.js';

/** A topic is stressful if so many turns of the first two weeks that named it were followed by a rise. */
const risenTurnsMin = 2;

/** One topic of a person after three weeks. */
interface Outcome {
  readonly wearer: string;
  readonly isActive: boolean;
  readonly isStressful: boolean;
  /** True for a topic of the area that stresses only in the first two weeks. */
  readonly isOfEnded: boolean;
  /** Number of turns of the third week that named the topic, and of those that a rise followed. */
  readonly turnsLast: number;
  readonly risenLast: number;
  readonly isResolvedLast: boolean;
}

type Is = (it: Outcome) => boolean;

const isEnded: Is = (it) => it.isActive && it.isOfEnded && it.turnsLast > 0 && it.risenLast === 0;

/** Each figure: the selected topics, and those of them that it counts. */
const figures: Readonly<Record<string, readonly [goals: Record<Mode, string>, selects: Is, counts: Is]>> = {
  'two weeks: precision': [{ heart: '≥ 0.85', words: '' }, (it) => it.isActive, (it) => it.isStressful],
  'two weeks: recall': [{ heart: '≥ 0.45', words: '≥ 0.80' }, (it) => it.isStressful, (it) => it.isActive],
  'no longer stressful: resolved within a week': [{ heart: '≥ 0.60', words: '≥ 0.60' }, isEnded, isResolved],
  '… of those named at least twice in it': [
    { heart: '', words: '' },
    (it) => isEnded(it) && it.turnsLast > 1,
    isResolved,
  ],
  'still stressful: resolved within a week': [
    { heart: '', words: '' },
    (it) => it.isActive && it.risenLast > 0,
    isResolved,
  ],
};

function isResolved({ isResolvedLast }: Outcome): boolean {
  return isResolvedLast;
}

/** Returns what Trigger Memory finds in two weeks and resolves in the third one, with intervals over wearers. */
export async function judgeWeeks(
  data: string,
  models: string | undefined,
  seeds: readonly number[],
  mode: Mode,
): Promise<TableRow[]> {
  const wearers = readWearers(readFrom(data)('wearers_dev.csv'));
  const lived = await mapWithProgress(seeds, 'seeds of the weeks', (seed) =>
    simulateEvenings(wearers, judgeMessages(data, models, seed), seed).flatMap((life) =>
      listOutcomes(life, liveThrough(life, mode)),
    ),
  );
  const groups = [...groupBy(lived.flat(), ({ wearer }) => wearer).values()];
  return Object.entries(figures).map(([figure, [goals, selects, counts]]) => {
    const counted = groups.map((own): Counts => {
      const selected = own.filter(selects);
      return [selected.filter(counts).length, selected.length];
    });
    const [found, total] = counted.reduce(([a, b], [x, y]) => [a + x, b + y], [0, 0]);
    const shares = estimate(
      counted.map((it) => [it]),
      (some) => quotient(some.flat()),
    );
    return [figure, goals[mode], `${printEstimate(shares, (value) => value.toFixed(2))}, ${found} of ${total}`];
  });
}

function listOutcomes({ wearer, ended }: Evenings, { triggers, said }: Remembered): Outcome[] {
  return [...triggers].map(([topic, { changes }]) => {
    const turns = said.get(topic) ?? [];
    const [before, last] = [true, false].map((isBefore) => turns.filter(({ atMs }) => atMs <= endsMs === isBefore));
    const countRisen = (some: typeof turns = []) => some.filter(({ isStressful }) => isStressful).length;
    return {
      wearer,
      isActive: changes.findLast(({ atMs }) => atMs <= endsMs)?.status === 'active',
      isStressful: countRisen(before) >= risenTurnsMin,
      isOfEnded: areaOfTopic.get(topic as TopicName) === ended,
      turnsLast: last?.length ?? 0,
      risenLast: countRisen(last),
      isResolvedLast: changes.some(({ status, atMs }) => status === 'resolved' && atMs > endsMs),
    };
  });
}
