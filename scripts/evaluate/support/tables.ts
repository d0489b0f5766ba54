import { bands } from '../../../generated/spec.js';
import { type Scene, scenes, seededRandom } from '../../../src/terminal/scenes.js';
import type { Column, TableRow } from '../../../src/terminal/table.js';
import type { RecordedWindow } from '../../../src/terminal/windows.js';
import { auc, type Scored } from './auc.js';
import { intervalOverPeople } from './bootstrap.js';
import { playScene } from './play-scene.js';
import type { AnsweredScore } from './variants.js';

/** Label that is sent but not compared, because guided breathing itself changes the heart rhythm. */
const notCompared = 'Breathing';

export const aucColumns: readonly Column[] = [
  { title: 'variant' },
  { title: 'AUC', align: 'right' },
  { title: '95 % interval', align: 'right' },
  { title: 'stressor windows stressed', align: 'right' },
  { title: 'rest windows stressed', align: 'right' },
  { title: 'description' },
];

export function aucRow(name: string, note: string, people: readonly (readonly AnsweredScore[])[]): TableRow {
  const compared = people.map(toScored);
  const statistic = (sample: readonly (readonly Scored[])[]) => auc(sample.flat());
  const [low, high] = intervalOverPeople(compared, statistic);
  return [
    name,
    statistic(compared).toFixed(3),
    `${low.toFixed(3)}–${high.toFixed(3)}`,
    ...shares(compared.flat()),
    note,
  ];
}

/** Returns the shares of stressor windows and of rest windows whose state is stressed or acute_stress. */
function shares(windows: readonly Scored[]): [string, string] {
  if (windows.some(({ score }) => !Number.isInteger(score))) return ['', ''];
  const stressed = bands.find(({ state }) => state === 'stressed');
  const share = (group: readonly Scored[]) => {
    const count = group.filter(({ score }) => score >= (stressed?.min_score ?? 0)).length;
    return `${((100 * count) / group.length).toFixed(0)} %`;
  };
  return [share(windows.filter((it) => it.isStressor)), share(windows.filter((it) => !it.isStressor))];
}

function toScored(answers: readonly AnsweredScore[]): Scored[] {
  return answers
    .filter(({ window }) => isCompared(window))
    .map(({ window, score }) => ({ score, isStressor: isStressor(window) }));
}

export function isCompared(window: RecordedWindow): boolean {
  return isStressor(window) || (window.label === 'rest' && window.task !== notCompared);
}

function isStressor({ label }: RecordedWindow): boolean {
  return label === 'stressor';
}

export const sceneDraws = 1_000;
const sceneSeed = 11;

export const sceneColumns: readonly Column[] = [
  { title: 'scene' },
  { title: 'in band, with subject_id', align: 'right' },
  { title: 'without', align: 'right' },
  { title: 'calm instead of acute_stress, or the reverse', align: 'right' },
];

/** Returns one row per scene: the share of draws that ended in its state. */
export function sceneRows(): TableRow[] {
  const random = seededRandom(sceneSeed);
  const play = (scene: Scene, isNamed: boolean) =>
    Array.from({ length: sceneDraws }, () => playScene(scene, random, isNamed));
  return scenes.map((scene) => {
    const [named, unnamed] = [play(scene, true), play(scene, false)];
    const confused = [...named, ...unnamed].filter((state) => state === oppositeOf(scene.name)).length;
    const share = (ends: readonly string[]) =>
      `${((100 * ends.filter((state) => state === scene.name).length) / ends.length).toFixed(1)} %`;
    return [scene.name, share(named), share(unnamed), String(confused)];
  });
}

function oppositeOf(state: string): string | undefined {
  return { calm: 'acute_stress', acute_stress: 'calm' }[state];
}
