/** A week of three invented people: what a wristband measured, and what they said to an assistant. */
import type { State, StateClient, Submission } from '../client/src/index.js';
import { measureDay } from './ordinary-day.js';
import { draw, scenes, seededRandom } from './terminal/scenes.js';

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];
const spacingMinutes = 5;
const days = 7;
/**
 * Without the hours before the week, its first day would be that of an unknown person. They begin at the same hour whenever
 * the demo is started, and so its week depends on the weekday alone.
 */
const hoursBefore = 18;

const signals = {
  tense: { heart_rate: 103, tone: 'anxious', sentiment: -0.8 },
  calm: { heart_rate: 66, tone: 'calm', sentiment: 0.5 },
} as const;
type Mood = keyof typeof signals;
type Turn = readonly [day: number, hour: number, mood: Mood, message: string];
type Span = readonly [day: number, fromHour: number, untilHour: number];

interface Person {
  readonly id: string;
  /** What the week shows. */
  readonly week: string;
  readonly nightBpm: number;
  /** How much later than usual the person sleeps and works, in hours. */
  readonly laterHours: number;
  /** Tense times of the week, by days before today and local hours. */
  readonly tense: readonly Span[];
  /** Turns of the week, by days before today and local hour. */
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
    ...{ id: 'demo-ada', week: 'one topic', nightBpm: 54, laterHours: 0 },
    tense: [6, 5, 3, 2, 1].map((day) => [day, 10.4, 12]),
    turns: [
      [6, 10.5, 'tense', 'I am worried that I will lose my job.'],
      [5, 10.4, 'tense', 'I am so afraid that I will lose my job.'],
      [3, 10.6, 'tense', 'I may lose my job, and I cannot stop thinking about it.'],
      [2, 10.5, 'tense', 'I am scared of losing my job.'],
      [1, 10.4, 'tense', 'I am worried that I will lose my job this month.'],
    ],
  },
  {
    ...{ id: 'demo-ben', week: 'works at night', nightBpm: 55, laterHours: 12 },
    tense: [...[6, 5].map((day): Span => [day, 22, 23]), ...[5, 4, 3, 2, 1].map((day): Span => [day, 2, 3.5])],
    turns: [
      [6, 22.2, 'tense', 'My exam is tomorrow and I am afraid that I will fail my exam.'],
      [5, 22.5, 'tense', 'I failed my exam, I am so ashamed.'],
      [3, 19, 'calm', 'I passed my exam this time, I am no longer worried about my exam.'],
      [2, 19, 'calm', 'My exam went fine, the stress is gone.'],
      [1, 19, 'calm', 'I am not worried about my exam anymore.'],
    ],
  },
  {
    ...{ id: 'demo-cleo', week: 'calm, one bad day', nightBpm: 57, laterHours: 0 },
    tense: [[3, 9, 17]],
    turns: [[2, 19.5, 'calm', 'My sister visited me, we had a lovely evening.']],
  },
];
/** The id of each person, and what their week shows. */
export const demoPeople: ReadonlyMap<string, string> = new Map(people.map(({ id, week }) => [id, week]));
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
  const measured = people.flatMap((it, at) => measureWeek(it, endMs, midnightMs, seededRandom(at)));
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

function measureWeek(
  { id, nightBpm, laterHours, tense }: Person,
  endMs: number,
  midnightMs: number,
  random: () => number,
): Timed[] {
  const startMs = midnightMs - days * dayMs - hoursBefore * hourMs;
  const count = Math.floor((endMs - startMs) / (spacingMinutes * minuteMs));
  return Array.from({ length: count }, (_, index) => startMs + index * spacingMinutes * minuteMs).flatMap((atMs) => {
    const at = new Date(atMs);
    const hour = (at.getHours() + at.getMinutes() / 60 + 24 - laterHours) % 24;
    // Nobody does sports at night.
    const weekday = laterHours > 0 ? 0 : at.getDay();
    const sinceMidnight = (day: number) => (atMs - midnightMs) / hourMs + day * 24;
    const isTense = tense.some(([day, from, until]) => sinceMidnight(day) >= from && sinceMidnight(day) < until);
    const measurement = measureDay({ hour, weekday, nightBpm, isTense }, random);
    const timestamp = at.toISOString();
    const session_id = `${id}-wristband-${timestamp.slice(0, 10)}`;
    return measurement ? [{ atMs, submission: { session_id, subject_id: id, timestamp, ...measurement } }] : [];
  });
}

function listTurns({ id, turns, laterHours }: Person, midnightMs: number): Timed[] {
  const talk = Array.from({ length: days * 2 }, (_, at): Turn => [
    Math.floor(at / 2),
    (at % 2 === 0 ? 8 : 12.5) + laterHours,
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
