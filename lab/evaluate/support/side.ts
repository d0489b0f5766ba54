import type { FindSide } from '../../../packages/tools/evaluate/evaluation.js';

/** Task that is sent but not compared, because guided breathing itself changes the heart rhythm. */
const notCompared = 'Breathing';

/** Compares the labels `stressor` and `rest`. Other labels, such as `baseline`, are sent but not compared. */
export const sideOf: FindSide = ({ label, task }) => {
  if (label === 'stressor') return 'stressor';
  return label === 'rest' && task !== notCompared ? 'rest' : undefined;
};
