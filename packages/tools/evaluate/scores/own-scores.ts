/** Scores the rows of a task with this service. */
import { topics } from '../../../../generated/spec.js';
import type { Submission, TriggerProfile } from '../../../client/src/index.js';
import { groupBy } from '../../group-by.js';
import { type Score, toScore } from '../figures/figures.js';
import type { Row } from '../protocol/rows.js';
import type { Input, Task } from '../protocol/tasks.js';
import { answer, type WeekEvent } from '../protocol/weeks.js';
import { backfill, linesMax, playLive, split } from './replay.js';
import type { EvaluatedService } from './service.js';
import { personal, replayVariant } from './variants.js';

type ScoreRows = (
  service: EvaluatedService,
  input: Input,
  onAnswer: () => void,
) => Promise<Iterable<readonly [id: string, score: Score]>>;

const dayMs = 86_400_000;
/** Events of this time are one batch. A reading may be 300 s old. */
const batchSeconds = 240;

const plays: Readonly<Record<Task['play'], ScoreRows>> = {
  live: (service, { rows }, onAnswer) => replayVariant(service, personal, rows, onAnswer),
  history: scoreHistory,
  messages: scoreMessages,
  weeks: scoreWeeks,
};

/** Sends the rows to the service. Returns the scores by id. */
export async function scoreRows(
  play: Task['play'],
  service: EvaluatedService,
  input: Input,
  onAnswer: () => void,
): Promise<Map<string, Score>> {
  return new Map(await plays[play](service, input, onAnswer));
}

/** Returns the number of calls of `onAnswer`. */
export function countAnswers(play: Task['play'], { rows, events = [] }: Input): number {
  return play === 'weeks' ? events.length : rows.length;
}

/** Backfills each person's rows. */
async function scoreHistory(service: EvaluatedService, { rows }: Input, onAnswer: () => void): ReturnType<ScoreRows> {
  const histories = [...groupBy(rows, ({ window }) => window.subject)].map(([id, own]) => ({
    id,
    readings: own.map((row) => ({ row, atMs: row.window.atMs ?? 0 })),
  }));
  const answers = await backfill(service, histories, ({ row }) => row.window.values, onAnswer);
  return answers.flat().map(({ reading, answer }) => [reading.row.id, toScore(answer.stress_score)]);
}

/** Each message is a session. */
async function scoreMessages(service: EvaluatedService, { rows }: Input, onAnswer: () => void): ReturnType<ScoreRows> {
  const messages = rows.map(({ id, window: { texts } }) => [{ id, second: 0, text: texts?.user_message ?? '' }]);
  const answers = await playLive(
    service,
    messages,
    ({ id, text }) => ({ session_id: id, user_message: text, derive_sentiment: true }),
    { onAnswer },
  );
  return answers.flat().map(({ reading, answer }) => [reading.id, toScore(answer.stress_score)]);
}

/** Plays the weeks of a watch and of a chat that sends no other signal. */
async function scoreWeeks(
  service: EvaluatedService,
  { rows, events = [] }: Input,
  onAnswer: () => void,
): ReturnType<ScoreRows> {
  const startMs = Math.ceil(service.now() / dayMs) * dayMs;
  let second = (service.now() - startMs) / 1000;
  for (const [slot, together] of groupBy(events, (it) => Math.floor(it.second / batchSeconds))) {
    service.advance((slot + 1) * batchSeconds - second);
    second = (slot + 1) * batchSeconds;
    for (const part of split(together, linesMax)) await service.sendBatch(part.map((it) => toReading(it, startMs)));
    together.forEach(onAnswer);
  }
  const people = [...new Set(rows.map(({ window }) => window.subject))];
  const profiles = people.map(async (person) => [person, (await service.readTriggers(person)).triggers] as const);
  return scoreAreas(rows, new Map(await Promise.all(profiles)));
}

function toReading({ person, second, heart_rate = 0, message, chat }: WeekEvent, startMs: number): Submission {
  const timestamp = new Date(startMs + 1000 * second).toISOString();
  if (message === undefined) return { session_id: `${person}-watch`, subject_id: person, timestamp, heart_rate };
  const turn = { user_message: message, ai_response: answer, derive_sentiment: false };
  // A reading requires a signal.
  return { session_id: `${person}-chat-${chat}`, subject_id: person, timestamp, expression: 'neutral', ...turn };
}

type Triggers = TriggerProfile['triggers'];

/** Returns the scores of the areas by the ids of the rows, from the triggers of each person. */
export function scoreAreas(rows: readonly Row[], triggers: ReadonlyMap<string, Triggers>): [string, Score][] {
  return rows.map(({ id, window: { subject, task } }) => [id, scoreArea(triggers.get(subject) ?? {}, task)]);
}

/**
 * Returns the score of an area, which is called stressed if one of its topics is an active trigger: 50 plus the effect of its most
 * stressful topic. While an effect is unknown, the mean stress of the topic takes its place.
 */
function scoreArea(triggers: Triggers, area: string): Score {
  const named = Object.entries(triggers).filter(([topic]) =>
    (topics[area as keyof typeof topics] as readonly string[]).includes(topic),
  );
  return {
    score: Math.max(0, ...named.map(([, { avg_stress, effect }]) => (effect === undefined ? avg_stress : 50 + effect))),
    isStressed: named.some(([, { status }]) => status === 'active'),
  };
}
