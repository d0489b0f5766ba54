/**
 * The benchmark's protocol: which rows a method scores, which of them are compared, and what is resampled. Change `version`
 * with every change that can change a figure.
 */
import { hash } from 'node:crypto';
import { type RecordingFormat, readWindows } from '../../recordings/read-windows.js';
import type { RecordedWindow } from '../../recordings/recorded-window.js';
import { type Row, spacingSeconds } from './rows.js';
import { type Read, readReports } from './wearers.js';
import { listAreas, simulateWeeks, type WeekEvent } from './weeks.js';

export const protocol = { id: 'stress-state-benchmark', version: 1 } as const;

export interface Input {
  readonly rows: readonly Row[];
  /** What happened before the rows. Absent if the rows contain it. */
  readonly events?: readonly WeekEvent[];
}

export interface Task {
  /** What is compared. */
  readonly title: string;
  readonly files: readonly string[];
  /** What no method may learn from. */
  readonly split: string;
  /** Why the figures of this service are optimistic if it scores the rows itself. */
  readonly seen?: string;
  readonly load: (read: Read) => Input;
  /** How this service gets the rows: as they happen, as a history, as single messages, or as weeks of two sessions. */
  readonly play: 'live' | 'history' | 'messages' | 'weeks';
}

const people =
  'Nobody of the file may be in a training. Earlier rows of the same person may be used, later ones may not.';
const knownPeople = 'The constants of this service were chosen with knowledge of these people';
const knownTexts = 'The text model of this service was trained on these texts';
const texts = 'No text of the files may be in the training of the model that scores it.';
/** Seconds between two readings of a wrist device, and of a unit of the AUC. */
const [wristSeconds, unitSeconds] = [5, 60];

export const tasks = {
  stressid: {
    title: 'StressID, ECG: stressor tasks against videos and relaxing',
    files: ['stressid_hrv_dev.csv'],
    split: people,
    seen: knownPeople,
    load: (read) => ({ rows: readHearts(read('stressid_hrv_dev.csv')).map((it) => toRow(it)) }),
    play: 'live',
  },
  'stress-predict': {
    title: 'Stress-Predict, wrist: stressors against rest, minutes',
    files: ['wrist_dev.csv'],
    split: people,
    seen: knownPeople,
    load: (read) => ({
      rows: readHearts(read('wrist_dev.csv'), 'second')
        .filter(({ second = 0 }) => second % wristSeconds === 0)
        .map((it) => toRow(it, Math.floor((it.second ?? 0) / unitSeconds))),
    }),
    play: 'live',
  },
  speech: {
    title: 'speech before others, wrist: speaking against rest',
    files: ['speech_dev.csv'],
    split: people,
    seen: knownPeople,
    load: (read) => ({ rows: readHearts(read('speech_dev.csv'), 'time').map((it) => toRow(it)) }),
    play: 'live',
  },
  reports: {
    title: 'nurses on shift, wrist: own reports of high stress against none',
    files: ['nurses_dev.csv', 'nurses_labels_dev.csv'],
    split: people,
    seen: knownPeople,
    load: (read) => ({ rows: labelShifts(read('nurses_dev.csv'), read('nurses_labels_dev.csv')) }),
    play: 'history',
  },
  texts: {
    title: 'one message: questions to a counselor against everyday texts',
    files: ['concerns_dev.csv', 'everyday_dev.csv'],
    split: texts,
    seen: knownTexts,
    load: (read) => ({
      rows: [
        ...readTexts(read('concerns_dev.csv'), 'concerns', 'stressor'),
        ...readTexts(read('everyday_dev.csv'), 'everyday', 'rest'),
      ],
    }),
    play: 'messages',
  },
  weeks: {
    title: 'simulated weeks of a watch and a chat: areas of life that a rise followed against others',
    files: ['wearers_dev.csv', 'wrist_dev.csv', 'sad_dev.csv', 'everyday_dev.csv'],
    split: texts,
    seen: knownTexts,
    load: (read) => {
      const weeks = simulateWeeks(read);
      const rows = weeks.lives.flatMap((life) =>
        listAreas(life).map(({ area, side }): Row => {
          const id = `${life.person}:${area}`;
          return { id, group: life.wearer, side, unit: id, window: emptyWindow(life.person, area) };
        }),
      );
      return { rows, events: weeks.events };
    },
    play: 'weeks',
  },
} as const satisfies Record<string, Task>;

export type TaskName = keyof typeof tasks;
export const taskNames = Object.keys(tasks) as TaskName[];

/** Compares the labels `stressor` (or `speech`) and `rest`. Guided breathing itself changes the heart rhythm. */
export function findSide({ label, task }: RecordedWindow): Row['side'] {
  if (label === 'stressor' || label === 'speech') return 'stressor';
  return label === 'rest' && task !== 'Breathing' ? 'rest' : undefined;
}

/** Rows are two minutes apart if no column of times is required and none is named `time`. */
function readHearts(csv: string, time?: string): RecordedWindow[] {
  const format: RecordingFormat = {
    names: { time: time ?? 'time' },
    required: time === undefined ? ['subject', 'label'] : ['subject', 'label', 'time'],
    optional: ['task', 'time', 'heart_rate', 'sdnn', 'rmssd'],
  };
  const counts = new Map<string, number>();
  return readWindows(csv, format)
    .filter(({ values }) => Object.keys(values).length > 0)
    .map((window) => {
      const index = counts.get(window.subject) ?? 0;
      counts.set(window.subject, index + 1);
      return { ...window, second: window.second ?? index * spacingSeconds };
    });
}

function toRow(window: RecordedWindow, unit: string | number = window.second ?? 0, side = findSide(window)): Row {
  const { subject, second } = window;
  return { id: `${subject}:${second}`, group: subject, side, unit: `${subject}:${unit}`, window };
}

/** Labels the minutes of shifts by the reports about them. A unit is a report. */
function labelShifts(csv: string, labels: string): Row[] {
  const reports = readReports(labels);
  const names = { time: 'utc_minute' };
  const required = ['subject', 'time', 'heart_rate'] as const;
  return readWindows(csv, { names, required, optional: [], isUnordered: true }).map((window) => {
    const { subject, atMs = 0 } = window;
    const report = reports.findIndex((it) => it.person === subject && atMs >= it.fromMs && atMs < it.toMs);
    const side = ({ high: 'stressor', none: 'rest' } as const)[reports[report]?.stress ?? ''];
    return toRow(window, side && `report-${report}`, side);
  });
}

/** The label of a text is its source, so its id is a hash, which does not tell the source to a method. */
function readTexts(csv: string, folder: string, side: Row['side']): Row[] {
  const names = { subject: 'id', user_message: 'text', label: 'kind' };
  return readWindows(csv, { names, required: ['subject', 'user_message'], optional: ['label'] }).map((window) => {
    const id = hash('sha256', `${window.subject}\n${window.texts?.user_message}`).slice(0, 12);
    return { id, group: id, side, unit: id, window: { ...window, subject: id, label: `${folder}/${window.label}` } };
  });
}

function emptyWindow(subject: string, task: string): RecordedWindow {
  return { line: 0, subject, task, label: '', values: {}, clamped: [] };
}
