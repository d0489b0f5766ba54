import type { Submission } from '../../../src/contract.js';
import type { RecordedWindow } from '../../../src/terminal/windows.js';
import type { EvaluatedService } from './service.js';

/** Time between consecutive windows on the service's clock, s. */
export const spacingSeconds = 120;

/** A way to send the windows. All variants send the same windows. */
export interface Variant {
  readonly name: string;
  readonly note: string;
  /** Returns the ids that the sender uses for a window. `prefix` separates variants and people. */
  identify(prefix: string, window: RecordedWindow): Pick<Submission, 'session_id' | 'subject_id'>;
  readonly withheld?: ReadonlyArray<keyof RecordedWindow['values']>;
  readonly hasBaseline?: boolean;
}

/** The score in the response to the window. */
export interface AnsweredScore {
  readonly window: RecordedWindow;
  readonly score: number;
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
    note: 'each window in its own session, no subject_id',
    identify: (prefix, { line }) => ({ session_id: `${prefix}-${line}` }),
  },
  personal,
  {
    name: 'personal, no subject_id',
    note: 'one session per person; the session acts as the subject',
    identify: (prefix) => ({ session_id: prefix }),
  },
  { name: 'rmssd instead of sdnn', note: 'personal, heart rate and rmssd', identify: asPerson, withheld: ['sdnn'] },
  { name: 'sdnn instead of rmssd', note: 'personal, heart rate and sdnn', identify: asPerson, withheld: ['rmssd'] },
  {
    name: 'ablation: no variability',
    note: 'personal, heart rate only',
    identify: asPerson,
    withheld: ['sdnn', 'rmssd'],
  },
  { name: 'ablation: no heart rate', note: 'personal, variability only', identify: asPerson, withheld: ['heart_rate'] },
  {
    name: 'ablation: no baseline',
    note: 'personal, baselines erased between windows',
    identify: asPerson,
    hasBaseline: false,
  },
];

/**
 * Returns the variants that a recording supports. A variant without a signal requires the withheld signal and another
 * one.
 */
export function variantsFor(windows: readonly RecordedWindow[]): Variant[] {
  const signals = windows.map(({ values }) => Object.keys(values) as (keyof RecordedWindow['values'])[]);
  return variants.filter(
    ({ name, withheld = [] }) =>
      withheld.length === 0 ||
      (withheld.some((it) => signals.some((names) => names.includes(it))) &&
        signals.every((names) => names.some((it) => !withheld.includes(it))) &&
        (!name.includes('instead of') || signals.some((names) => names.includes('rmssd')))),
  );
}

/**
 * Sends all windows through the service, two minutes apart and in protocol order. People run in parallel. Returns the
 * responses per person in the same order.
 */
export async function replayVariant(
  service: EvaluatedService,
  { name, identify, withheld = [], hasBaseline = true }: Variant,
  people: readonly (readonly RecordedWindow[])[],
  onAnswer: () => void,
): Promise<AnsweredScore[][]> {
  const answers = people.map((): AnsweredScore[] => []);
  const sendWindow = async (person: number, window: RecordedWindow) => {
    const values = Object.fromEntries(
      Object.entries(window.values).filter(([signal]) => !(withheld as readonly string[]).includes(signal)),
    );
    const who = identify(`${idOf(name)}-${window.subject}`, window);
    const timestamp = new Date(service.now()).toISOString();
    const reading = await service.send({ ...who, timestamp, ...values });
    answers[person]?.push({ window, score: reading.stress_score });
    onAnswer();
  };
  const positions = Math.max(0, ...people.map((windows) => windows.length));
  for (let position = 0; position < positions; position += 1) {
    const together = people.map((windows) => windows[position]);
    await Promise.all(together.map((window, person) => window && sendWindow(person, window)));
    if (!hasBaseline) await service.eraseBaselines();
    service.advance(spacingSeconds);
  }
  return answers;
}

/** Converts text to an id: visible ASCII without spaces. */
function idOf(name: string): string {
  return name.replace(/[^a-z]+/g, '-');
}
