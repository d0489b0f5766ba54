import type { RecordingFormat } from '../../../packages/tools/recordings/read-windows.js';
import type { FindSide } from '../../../packages/tools/evaluate/evaluation.js';

/** Task that is sent but not compared, because guided breathing itself changes the heart rhythm. */
const notCompared = 'Breathing';

/** Compares the labels `stressor` (or `speech`) and `rest`. Others, such as `anticipation`, are sent but not compared. */
export const sideOf: FindSide = ({ label, task }) => {
  if (label === 'stressor' || label === 'speech') return 'stressor';
  return label === 'rest' && task !== notCompared ? 'rest' : undefined;
};

/** Rows without the column `time` are two minutes apart. */
export const windowFormat: RecordingFormat = {
  names: {},
  required: ['subject', 'label'],
  optional: ['task', 'time', 'heart_rate', 'sdnn', 'rmssd'],
};
