import type { Submission } from '../../../client/src/index.js';
import { findScored, type RecordedWindow } from '../../recordings/recorded-window.js';
import type { EvaluatedService } from './service.js';

/** Time between consecutive windows on the service's clock, s. */
export const spacingSeconds = 120;

/** Maximum number of concurrent requests. Each one may need a connection. */
const requestsAtOnce = 64;

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
export interface ScoredWindow {
  readonly window: RecordedWindow;
  readonly score: number;
}

/** The score in the response to the window, with its confidence. */
export interface AnsweredReading extends ScoredWindow {
  readonly confidence: number;
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
 * Sends all windows through the service, at their `second` or two minutes apart. Each person's windows must be in
 * ascending order. People run in parallel from second 0. Returns the responses per person in the same order.
 */
export async function replayVariant(
  service: EvaluatedService,
  { name, identify, withheld = [], hasBaseline = true }: Variant,
  people: readonly (readonly RecordedWindow[])[],
  onAnswer: () => void,
): Promise<AnsweredReading[][]> {
  const answers = people.map((): AnsweredReading[] => []);
  const sendWindow = async ({ person, window }: Scheduled) => {
    const values = Object.fromEntries(
      Object.entries(window.values).filter(([signal]) => !(withheld as readonly string[]).includes(signal)),
    );
    // The number of the person instead of the name, because an id allows fewer characters than a file.
    const who = identify(`${toId(name)}-${person + 1}`, window);
    const timestamp = new Date(service.now()).toISOString();
    const { stress_score, confidence } = await service.send({ ...who, timestamp, ...values });
    answers[person]?.push({ window, score: stress_score, confidence });
    onAnswer();
  };
  let second = 0;
  for (const together of schedule(people)) {
    const at = together[0]?.second ?? second;
    service.advance(at - second);
    second = at;
    for (let from = 0; from < together.length; from += requestsAtOnce)
      await Promise.all(together.slice(from, from + requestsAtOnce).map(sendWindow));
    if (!hasBaseline) await service.eraseBaselines();
  }
  // Separates the windows of the next variant.
  service.advance(spacingSeconds);
  return answers;
}

interface Scheduled {
  readonly person: number;
  readonly second: number;
  readonly window: RecordedWindow;
}

/** Returns the windows in groups of the same second, in ascending order. */
function schedule(people: readonly (readonly RecordedWindow[])[]): Scheduled[][] {
  const all = people.flatMap((windows, person) =>
    windows.map((window, index) => ({ person, window, second: window.second ?? index * spacingSeconds })),
  );
  const groups: Scheduled[][] = [];
  for (const it of all.sort((a, b) => a.second - b.second)) {
    const last = groups.at(-1);
    if (last?.[0]?.second === it.second) last.push(it);
    else groups.push([it]);
  }
  return groups;
}

/** Converts text to an id: visible ASCII without spaces. */
function toId(name: string): string {
  return name.replace(/[^a-z]+/g, '-');
}
