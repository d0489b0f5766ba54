/** A reading as `processReading` takes it. Its digest is unique. */
export interface RaceReading {
  readonly accountId: string;
  readonly sessionId: string;
  readonly subjectId?: string;
  readonly timestampMs: number;
  readonly signals: Readonly<Record<string, number | string>>;
  readonly digest: string;
}

const people = 200;
const gapMs = 5_000;
const startMs = Date.UTC(2026, 0, 1);
const tones = ['calm', 'neutral', 'tense', 'hostile'];
const expressions = ['relaxed', 'neutral', 'frowning'];

/** Returns a generator of numbers of [0, 1) that always returns the same numbers for a seed: a linear congruential one. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * Returns a function that returns the next readings, always the same ones: 200 sessions, of which three in four have a
 * person, send a heart rate every 5 s, and often other signals.
 */
export function createReadings(): (count: number) => RaceReading[] {
  const random = createRandom(1);
  const rates = Array.from({ length: people }, () => 55 + 30 * random());
  const pick = (values: readonly string[]) => values[Math.floor(random() * values.length)] ?? '';
  let sent = 0;
  const next = (): RaceReading => {
    const person = sent % people;
    const timestampMs = startMs + Math.floor(sent / people) * gapMs + person;
    const bpm = Math.min(140, Math.max(45, (rates[person] ?? 70) + 8 * (random() - 0.5)));
    rates[person] = bpm;
    const signals: Record<string, number | string> = { heart_rate: Math.round(bpm) };
    if (random() < 0.5) signals['tone'] = pick(tones);
    if (random() < 0.4) signals['sdnn'] = Math.round(20 + 60 * random());
    if (random() < 0.3) signals['expression'] = pick(expressions);
    if (random() < 0.2) signals['sentiment'] = Math.round(200 * random() - 100) / 100;
    if (random() < 0.1) signals['steps_last_minute'] = Math.round(150 * random());
    const subject = person % 4 > 0 && { subjectId: `person-${person}` };
    const digest = (sent++ + 2 ** 40).toString(16).padStart(12, '0');
    return {
      accountId: 'acc_0123456789abcdef0123',
      sessionId: `session-${person}`,
      ...subject,
      timestampMs,
      signals,
      digest,
    };
  };
  return (count) => Array.from({ length: count }, next);
}
