/** Scores the rows of a task with this service. */
import { topics } from '../../../../generated/spec.js';
import type { Submission, TriggerProfile } from '../../../client/src/index.js';
import type { EvaluatedService } from './service.js';
import { personal, replayVariant } from './variants.js';
import { groupBy, type Score, toScore } from '../figures/figures.js';
import type { Input, Row, Task } from '../protocol/tasks.js';
import type { WeekEvent } from '../protocol/weeks.js';

type ScoreRows = (
  service: EvaluatedService,
  input: Input,
  onAnswer: () => void,
) => Promise<[id: string, score: Score][]>;

/** Maximum number of concurrent requests, and of lines of a batch. */
const [requestsAtOnce, linesMax] = [64, 1_000];
/** Events of this time are one batch. A reading may be 300 s old. */
const batchSeconds = 240;

const plays: Readonly<Record<Task['play'], ScoreRows>> = {
  live: scoreLive,
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

async function scoreLive(service: EvaluatedService, { rows }: Input, onAnswer: () => void): ReturnType<ScoreRows> {
  const people = [...groupBy(rows, ({ window }) => window.subject).values()];
  const windows = people.map((its) => its.map(({ window }) => window));
  const answers = await replayVariant(service, personal, windows, onAnswer);
  const ids = new Map(rows.map(({ id, window }) => [window, id]));
  return answers.flat().map(({ window, score }) => [ids.get(window) ?? '', toScore(score)]);
}

const dayMs = 86_400_000;

/** Backfills each person's rows, oldest first, so that they end before the present. */
async function scoreHistory(service: EvaluatedService, { rows }: Input, onAnswer: () => void): ReturnType<ScoreRows> {
  const newestMs = rows.reduce((newest, { window }) => Math.max(newest, window.atMs ?? 0), 0);
  const movedMs = Math.floor((service.now() - newestMs) / dayMs) * dayMs;
  const scores: [string, Score][] = [];
  for (const own of groupBy(rows, ({ window }) => window.subject).values())
    for (const part of split(own)) {
      const states = await service.sendBatch(part.map((it) => toBackfill(it, movedMs)));
      states.forEach(({ stress_score }, index) => scores.push([part[index]?.id ?? '', toScore(stress_score)]));
      part.forEach(onAnswer);
    }
  return scores;
}

function toBackfill({ window: { subject, atMs = 0, values } }: Row, movedMs: number): Submission {
  const timestamp = new Date(atMs + movedMs).toISOString();
  return { session_id: subject, subject_id: subject, timestamp, backfill: true, ...values };
}

/** Each message is a session. */
async function scoreMessages(service: EvaluatedService, { rows }: Input, onAnswer: () => void): ReturnType<ScoreRows> {
  const timestamp = new Date(service.now()).toISOString();
  const scoreOne = async ({ id, window: { texts } }: Row): Promise<[string, Score]> => {
    const message = { user_message: texts?.user_message ?? '', derive_sentiment: true };
    const { stress_score } = await service.send({ session_id: id, timestamp, ...message });
    onAnswer();
    return [id, toScore(stress_score)];
  };
  const scores: [string, Score][] = [];
  for (const part of split(rows, requestsAtOnce)) scores.push(...(await Promise.all(part.map(scoreOne))));
  return scores;
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
    for (const part of split(together)) await service.sendBatch(part.map((it) => toReading(it, startMs)));
    together.forEach(onAnswer);
  }
  const people = [...groupBy(rows, ({ window }) => window.subject)];
  const scores = people.map(async ([person, own]) => {
    const { triggers } = await service.readTriggers(person);
    return own.map(({ id, window }): [string, Score] => [id, scoreArea(triggers, window.task)]);
  });
  return (await Promise.all(scores)).flat();
}

function toReading({ person, second, heart_rate = 0, message, chat }: WeekEvent, startMs: number): Submission {
  const timestamp = new Date(startMs + 1000 * second).toISOString();
  if (message === undefined) return { session_id: `${person}-watch`, subject_id: person, timestamp, heart_rate };
  const turn = { user_message: message, ai_response: 'I understand. Tell me more.', derive_sentiment: false };
  // A reading requires a signal.
  return { session_id: `${person}-chat-${chat}`, subject_id: person, timestamp, expression: 'neutral', ...turn };
}

/**
 * Returns the score of an area, which is called stressed if one of its topics is an active trigger: 50 plus the effect of its most
 * stressful topic. While an effect is unknown, the mean stress of the topic takes its place.
 */
export function scoreArea(triggers: TriggerProfile['triggers'], area: string): Score {
  const named = Object.entries(triggers).filter(([topic]) =>
    (topics[area as keyof typeof topics] as readonly string[]).includes(topic),
  );
  return {
    score: Math.max(0, ...named.map(([, { avg_stress, effect }]) => (effect === undefined ? avg_stress : 50 + effect))),
    isStressed: named.some(([, { status }]) => status === 'active'),
  };
}

function split<T>(items: readonly T[], length = linesMax): T[][] {
  return Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  );
}
