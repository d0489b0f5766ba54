/** A week of three invented people: what a wristband measured, and what they said to an assistant. */
import type { State, StateClient, Submission } from '../client/src/index.js';
import { measureDay } from './ordinary-day.js';
import { draw, scenes, seededRandom } from './terminal/scenes.js';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const spacingMinutes = 5;
const days = 7;

const signals = {
  tense: { heart_rate: 103, tone: 'anxious', sentiment: -0.8 },
  calm: { heart_rate: 66, tone: 'calm', sentiment: 0.5 },
} as const;
type Mood = keyof typeof signals;
type Turn = readonly [day: number, hour: number, mood: Mood, message: string];

interface Person {
  readonly id: string;
  readonly nightBpm: number;
  /** Turns of the week, by day before today and local hour. */
  readonly turns: readonly Turn[];
}

/** Said by everyone, without a concern: the other turns that an effect is compared with. */
const smallTalk = [
  'What should I cook tonight?',
  'Recommend a film for the evening, please.',
  'Translate good morning into Spanish.',
  'How long do I boil an egg?',
  'Tell me a fun fact about whales.',
  'Which plants like shade?',
];
const people: readonly Person[] = [
  {
    ...{ id: 'demo-ada', nightBpm: 54 },
    turns: [
      [6, 10.5, 'tense', 'I am worried that I will lose my job.'],
      [5, 10.4, 'tense', 'My boss keeps yelling at me, I am afraid that I will lose my job.'],
      [3, 10.6, 'tense', 'I cannot sleep anymore, I lie awake every night.'],
      [2, 10.5, 'tense', 'I am afraid that I will lose my job, my boss is angry.'],
      [1, 10.3, 'tense', 'I cannot sleep anymore, I lie awake every night and I am exhausted.'],
    ],
  },
  {
    ...{ id: 'demo-ben', nightBpm: 60 },
    turns: [
      [6, 10.2, 'tense', 'My exam is tomorrow and I am afraid that I will fail my exam.'],
      [5, 10.8, 'tense', 'I failed my exam, I am so ashamed.'],
      [3, 19, 'calm', 'I passed my exam this time, I am no longer worried about my exam.'],
      [2, 19, 'calm', 'My exam went fine, the stress is gone.'],
      [1, 19, 'calm', 'I am not worried about my exam anymore.'],
    ],
  },
  { id: 'demo-cleo', nightBpm: 57, turns: [[2, 19.5, 'calm', 'My sister visited me, we had a lovely evening.']] },
];
export const demoPeople = people.map(({ id }) => id);
/** Scenes that the people are in at present, one after the other. */
const presence: Readonly<Record<string, readonly State[]>> = {
  'demo-ada': ['focused', 'stressed', 'acute_stress', 'stressed', 'focused', 'relaxed'],
  'demo-ben': ['relaxed', 'focused', 'relaxed', 'calm'],
  'demo-cleo': ['calm', 'relaxed'],
};
const readingsPerScene = 8;

/** Sends the week that ends now, oldest first. `setNow` sets the clock of the service, epoch ms. */
export async function sendDemoWeek(
  client: StateClient,
  setNow: (nowMs: number) => void,
  signal?: AbortSignal,
): Promise<void> {
  const endMs = Date.now();
  const midnightMs = new Date(endMs).setHours(0, 0, 0, 0);
  const measured = people.flatMap((it, at) => measureWeek(it, endMs, seededRandom(at)));
  const turns = people.flatMap((it) => listTurns(it, midnightMs)).filter(({ atMs }) => atMs < endMs);
  for (const { atMs, submission } of turns.sort((one, other) => one.atMs - other.atMs)) {
    signal?.throwIfAborted();
    setNow(atMs);
    await backfill(client, takeBefore(measured, atMs));
    await client.ingest(submission);
  }
  setNow(endMs);
  await backfill(client, measured);
}

/** Sends a live reading of each person. `index` counts the readings of each. */
export async function sendPresent(
  client: StateClient,
  index: number,
  random: () => number,
  atMs = Date.now(),
): Promise<void> {
  const timestamp = new Date(atMs).toISOString();
  for (const [id, names] of Object.entries(presence)) {
    const name = names[Math.floor(index / readingsPerScene) % names.length];
    const scene = scenes.find((it) => it.name === name);
    if (scene) await client.ingest({ session_id: `${id}-live`, subject_id: id, timestamp, ...draw(scene, random) });
  }
}

interface Timed {
  readonly atMs: number;
  readonly submission: Submission;
}

function measureWeek({ id, nightBpm }: Person, endMs: number, random: () => number): Timed[] {
  const count = (days * dayMs) / (spacingMinutes * minuteMs);
  return Array.from({ length: count }, (_, index) => endMs - (count - index) * spacingMinutes * minuteMs).flatMap(
    (atMs) => {
      const at = new Date(atMs);
      const hour = at.getHours() + at.getMinutes() / 60;
      const measurement = measureDay({ hour, weekday: at.getDay(), nightBpm }, random);
      const timestamp = at.toISOString();
      const session_id = `${id}-wristband-${timestamp.slice(0, 10)}`;
      return measurement ? [{ atMs, submission: { session_id, subject_id: id, timestamp, ...measurement } }] : [];
    },
  );
}

function listTurns({ id, turns }: Person, midnightMs: number): Timed[] {
  const talk = Array.from({ length: days * 2 }, (_, at): Turn => [
    Math.floor(at / 2),
    at % 2 === 0 ? 8 : 12.5,
    'calm',
    smallTalk[at % smallTalk.length] ?? '',
  ]);
  return [...turns, ...talk].map(([day, hour, mood, message]) => {
    const atMs = midnightMs - day * dayMs + hour * hourMs;
    return { atMs, submission: describeTurn(id, atMs, mood, message) };
  });
}

/** Returns a turn of a chat, in one session per day. */
function describeTurn(id: string, atMs: number, mood: Mood, user_message: string): Submission {
  const timestamp = new Date(atMs).toISOString();
  const turn = { user_message, ai_response: 'Tell me more about it.' };
  return { session_id: `${id}-chat-${timestamp.slice(0, 10)}`, subject_id: id, timestamp, ...signals[mood], ...turn };
}

/** Removes the measurements from before a time, and returns them. */
function takeBefore(measured: Timed[], atMs: number): Timed[] {
  const taken = measured.filter((it) => it.atMs < atMs);
  measured.splice(0, measured.length, ...measured.filter((it) => it.atMs >= atMs));
  return taken;
}

async function backfill(client: StateClient, measured: readonly Timed[]): Promise<void> {
  if (measured.length === 0) return;
  const lines = [...measured]
    .sort((one, other) => one.atMs - other.atMs)
    .map((it) => ({ ...it.submission, backfill: true }));
  const { results } = await client.ingestBatch(lines);
  const refused = results.find(({ error }) => error);
  if (refused) throw new Error(`the service rejected a reading of the demo: ${JSON.stringify(refused.error)}`);
}
