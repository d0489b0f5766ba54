import type { Submission } from '../../../client/src/index.js';
import { groupBy } from '../../group-by.js';
import { findScored, type RecordedWindow } from '../../recordings/recorded-window.js';
import { type Score, toScore } from '../figures/figures.js';
import { type Row, spacingSeconds } from '../protocol/rows.js';
import { playLive } from './replay.js';
import type { EvaluatedService } from './service.js';

/** A way to send the rows. All variants send the same rows. */
export interface Variant {
  readonly name: string;
  readonly note: string;
  /** Returns the ids that the sender uses for a window. `prefix` separates variants and people. */
  identify(prefix: string, window: RecordedWindow): Pick<Submission, 'session_id' | 'subject_id'>;
  readonly withheld?: ReadonlyArray<keyof RecordedWindow['values']>;
  readonly hasBaseline?: boolean;
}

const asPerson: Variant['identify'] = (prefix) => ({ session_id: prefix, subject_id: prefix });

export const personal: Variant = {
  name: 'personal',
  note: 'one session and one subject_id per person',
  identify: asPerson,
};

const variants: readonly Variant[] = [
  {
    name: 'cold',
    note: 'each reading in its own session, no subject_id',
    identify: (prefix, { line }) => ({ session_id: `${prefix}-${line}` }),
  },
  personal,
  {
    name: 'personal, no subject_id',
    note: 'one session per person; the session acts as the subject',
    identify: (prefix) => ({ session_id: prefix }),
  },
  withhold('rmssd instead of sdnn', 'heart rate and rmssd', 'sdnn'),
  withhold('sdnn instead of rmssd', 'heart rate and sdnn', 'rmssd'),
  withhold('ablation: no variability', 'heart rate only', 'sdnn', 'rmssd'),
  withhold('ablation: no heart rate', 'variability only', 'heart_rate'),
  { ...withhold('ablation: no baseline', 'baselines erased between readings'), hasBaseline: false },
];

function withhold(name: string, note: string, ...withheld: NonNullable<Variant['withheld']>): Variant {
  return { name, note: `personal, ${note}`, identify: asPerson, withheld };
}

/**
 * Returns the variants that a recording supports. A variant that withholds signals requires a recording with these
 * signals and others.
 */
export function variantsFor(windows: readonly RecordedWindow[]): Variant[] {
  const signals = windows.map(({ values }) => findScored(values));
  return variants.filter(
    ({ name, withheld = [] }) =>
      withheld.length === 0 ||
      (withheld.some((it) => signals.some((names) => names.includes(it))) &&
        signals.every((names) => names.some((it) => !withheld.includes(it))) &&
        (!name.includes('instead of') || signals.some((names) => names.includes('rmssd')))),
  );
}

/**
 * Sends all rows through the service, at their `second` or two minutes apart. Each person's rows must be in ascending
 * order. People run in parallel from second 0. Returns the scores by the ids of the rows.
 */
export async function replayVariant(
  service: EvaluatedService,
  { name, identify, withheld = [], hasBaseline = true }: Variant,
  rows: readonly Row[],
  onAnswer: () => void,
): Promise<Map<string, Score>> {
  const people = [...groupBy(rows, ({ window }) => window.subject).values()].map((own) =>
    own.map(({ id, window }, index) => ({ id, window, second: window.second ?? index * spacingSeconds })),
  );
  const toSubmission = ({ window }: { readonly window: RecordedWindow }, person: number) => ({
    // The number of the person instead of the name, because an id allows fewer characters than a file.
    ...identify(`${toId(name)}-${person + 1}`, window),
    ...Object.fromEntries(
      Object.entries(window.values).filter(([signal]) => !(withheld as readonly string[]).includes(signal)),
    ),
  });
  const afterSecond = hasBaseline ? undefined : () => service.eraseBaselines();
  const answers = await playLive(service, people, toSubmission, { onAnswer, afterSecond });
  // Separates the rows of the next variant.
  service.advance(spacingSeconds);
  return new Map(answers.flat().map(({ reading, answer }) => [reading.id, toScore(answer.stress_score)]));
}

/** Converts text to an id: visible ASCII without spaces. */
function toId(name: string): string {
  return name.replace(/[^a-z]+/g, '-');
}
