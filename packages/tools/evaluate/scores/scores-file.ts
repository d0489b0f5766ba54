/** The CSV of a method: the template with the inputs, and the scores that it got. */
import { parse } from 'csv-parse/sync';
import { enums } from '../../../../generated/spec.js';
import { describeNames, shown } from '../../../recordings/names.js';
import { type Score, toScore } from '../figures/figures.js';
import type { Row } from '../protocol/rows.js';
import type { Input } from '../protocol/tasks.js';

const scoreMax = 100;
const listed = 3;

type Cells = Readonly<Record<string, string>>;
interface Line {
  readonly record: Cells;
  readonly info: { readonly lines: number };
}

/**
 * Returns the scores by the ids of the rows. A row is named by `id`, or by `person` and `time` (or `area`). Throws an error of one
 * line that names the first problem and what to do.
 */
export function readScores(csv: string, rows: readonly Row[]): Map<string, Score> {
  const options = { columns: true, bom: true, trim: true, info: true, skip_empty_lines: true } as const;
  const lines = parse(csv, options) as unknown as readonly Line[];
  const identify = findIdentifier(lines[0]?.record ?? {});
  const known = new Set(rows.map(({ id }) => id));
  const scores = new Map<string, Score>();
  const places = new Map<string, number>();
  for (const { record, info } of lines) {
    const id = identify(record);
    // An event of the template, which has no score.
    if (id === '') continue;
    const place = `line ${info.lines}`;
    if (!known.has(id)) throw new Error(`${place}: the task has no row "${shown(id)}": take the rows of --template`);
    const before = places.get(id);
    if (before !== undefined)
      throw new Error(`${place}: line ${before} has a score of "${shown(id)}": delete one of both`);
    places.set(id, info.lines);
    if (record['score'] !== '') scores.set(id, readScore(record, place));
  }
  const missing = rows.map(({ id }) => id).filter((id) => !scores.has(id));
  if (missing.length > 0)
    throw new Error(
      `${missing.length} of ${rows.length} rows have no score, e.g. ${missing.slice(0, listed).join(', ')}: score each row of --template`,
    );
  return scores;
}

/** Returns a function that names the row of a line. It returns an empty text for a line without a row. */
function findIdentifier(first: Cells): (line: Cells) => string {
  const place = ['time', 'area'].find((it) => it in first);
  const hasPlace = 'person' in first && place !== undefined;
  if (!('score' in first) || !('id' in first || hasPlace))
    throw new Error(
      `the file must have the columns score and id, or score, person and time. Its columns: ${describeNames(Object.keys(first))}`,
    );
  if ('id' in first) return ({ id = '' }) => id;
  return (line) => `${line['person']}:${line[place ?? '']}`;
}

function readScore({ score = '', state }: Cells, place: string): Score {
  const value = Number(score);
  if (!(value >= 0 && value <= scoreMax))
    throw new Error(`${place}: "${shown(score)}" is not a score: scale scores to 0 to ${scoreMax}`);
  if (!state) return toScore(value);
  if (!(enums.State as readonly string[]).includes(state))
    throw new Error(
      `${place}: "${shown(state)}" is not a state: use ${enums.State.join(', ')}, or leave the column out`,
    );
  return { score: value, isStressed: state === 'stressed' || state === 'acute_stress' };
}

/** Returns the inputs of a task as CSV, without labels and with an empty column `score`. The order of texts tells nothing either. */
export function writeTemplate({ rows, events = [] }: Input): string {
  const lines = [
    ...events.map(({ person, second, ...input }) => ({ person, time: second, ...input })),
    ...(rows[0]?.window.texts ? rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : rows).map(
      ({ id, window: { subject, second, task, values, texts } }) =>
        second === undefined
          ? { id, person: subject, ...(texts ? { message: texts.user_message } : { area: task }) }
          : { id, person: subject, time: second, ...values },
    ),
  ] as ReadonlyArray<Readonly<Record<string, string | number | undefined>>>;
  const columns = [...new Set(['id', ...lines.flatMap((line) => Object.keys(line)), 'score'])];
  return [columns, ...lines.map((line) => columns.map((it) => line[it] ?? ''))]
    .map((cells) => `${cells.map(toCell).join(',')}\n`)
    .join('');
}

function toCell(value: string | number): string {
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns scores as CSV, for `readScores`. */
export function writeScores(scores: Iterable<readonly [id: string, score: Score]>): string {
  const lines = [...scores].map(([id, { score, isStressed }]) => [id, score, isStressed ? 'stressed' : 'relaxed']);
  return [['id', 'score', 'state'], ...lines].map((cells) => `${cells.map(toCell).join(',')}\n`).join('');
}
