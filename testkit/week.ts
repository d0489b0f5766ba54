import { createStateClient, type StateClient, type Submission } from '../packages/client/src/index.js';
import { batch } from '../generated/spec.js';
import { measureDay } from '../packages/tools/ordinary-day.js';
import { seededRandom } from '../packages/tools/terminal/scenes.js';

export const dayMs = 86_400_000;
const spacingMinutes = 5;
/** Settings of a service that stores a backfilled week. */
export const weekEnv = { RETENTION_READINGS_HOURS: '192' };

/** Conversation turns, by day of the week before its end. The first topic resolves, the second one stays active. */
const conversations = [
  [6, 'stressed', 'I am worried that I will lose my job.'],
  [5, 'stressed', 'I am afraid that I will lose my job, my boss is angry.'],
  [4, 'stressed', 'I cannot sleep anymore, I lie awake every night.'],
  [3, 'calm', 'My boss says that I will not lose my job.'],
  [2, 'calm', 'I talked to my boss, and I am no longer worried that I will lose my job.'],
  [1, 'stressed', 'I cannot sleep anymore, I lie awake every night and I am exhausted.'],
  [0, 'calm', 'I am no longer worried that I will lose my job.'],
] as const;
const signals = {
  stressed: { heart_rate: 104, tone: 'hostile', sentiment: -0.8 },
  calm: { heart_rate: 62, tone: 'calm', sentiment: 0.7 },
} as const;

/** Returns a person's week that a wristband measured every five minutes, in one session per day (UTC). */
export function weekOf(subject_id: string, endMs: number): Submission[] {
  const random = seededRandom(subject_id.length);
  const count = (7 * 24 * 60) / spacingMinutes;
  return Array.from({ length: count }, (_, index) => endMs - (count - index) * spacingMinutes * 60_000).flatMap(
    (atMs) => {
      const timestamp = new Date(atMs).toISOString();
      const at = new Date(atMs);
      const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
      const measured = measureDay({ hour, weekday: at.getUTCDay(), nightBpm: 54 }, random);
      return measured
        ? [{ session_id: `${subject_id}-import-${timestamp.slice(0, 10)}`, subject_id, timestamp, ...measured }]
        : [];
    },
  );
}

interface Target {
  readonly url: string;
  readonly key: string;
  /** Sets the clock of the service, epoch ms. */
  readonly setNow: (nowMs: number) => void;
}

/** Sends a week of conversations as they happen, and then the readings of the wristband as backfill. */
export async function sendWeek({ url, key, setNow }: Target, subject_id: string, endMs: number): Promise<void> {
  const client = createStateClient({ baseUrl: url, key });
  for (const [day, mood, user_message] of conversations) {
    // At 09:00 UTC, when the wristband measures too.
    const atMs = Math.floor(endMs / dayMs - day - 1) * dayMs + 9 * 3_600_000;
    setNow(atMs);
    const session_id = `talk-${subject_id}-${7 - day}`;
    const turn = { user_message, ai_response: 'Tell me more about it.' };
    await client.ingest({ session_id, subject_id, timestamp: new Date(atMs).toISOString(), ...signals[mood], ...turn });
  }
  setNow(endMs);
  await backfill(client, weekOf(subject_id, endMs));
}

/** Sends readings as backfill, in batches. */
export async function backfill(client: StateClient, readings: readonly Submission[]): Promise<void> {
  for (let from = 0; from < readings.length; from += batch.lines_max) {
    const lines = readings.slice(from, from + batch.lines_max).map((it) => ({ ...it, backfill: true }));
    const { rejected, results } = await client.ingestBatch(lines);
    if (rejected > 0) throw new Error(JSON.stringify(results.find(({ status }) => status !== 200)));
  }
}
