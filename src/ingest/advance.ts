import type { Answer } from '../domain/session.js';
import type { ProblemError } from '../problem.js';
import type { Store, Writer } from '../store/store.js';
import { advanceReading, type Advance, beginProgress, findAnswered, subjectsOf } from './advance-reading.js';
import { rememberTopics, sightedSubjects } from './remember-topics.js';
import type { Submitted } from './submitted.js';

/** A refusal is an outcome of one reading and leaves the others of its group alone. */
export type Outcome = { readonly answer: Answer; readonly isTold: boolean } | { readonly refusal: ProblemError };

/**
 * Takes the sessions of a group of readings further, in one transaction: load, compute, write. The outcomes are in
 * the order of the group; when this resolves they are durable, when it rejects nothing of the group is stored.
 */
export async function advanceGroup(store: Store, group: readonly Submitted[], nowMs: number): Promise<Outcome[]> {
  return store.transact(async (writerOf) => {
    const outcomes = new Map<Submitted, Outcome>();
    // In key order, so that two processes lock rows in the same order.
    for (const accountId of [...new Set(group.map((it) => it.accountId))].sort()) {
      const readings = group.filter((it) => it.accountId === accountId);
      const found = await advanceAccount(writerOf(accountId), readings, nowMs);
      for (const [index, reading] of readings.entries()) outcomes.set(reading, found[index] as Outcome);
    }
    return group.map((reading) => outcomes.get(reading) as Outcome);
  });
}

/** One account's part of a group, from top to bottom. */
async function advanceAccount(writer: Writer, readings: readonly Submitted[], nowMs: number): Promise<Outcome[]> {
  const sessions = await writer.sessions.lock([...new Set(readings.map((it) => it.sessionId))], nowMs);
  // Always after the sessions, so that two processes never wait for each other.
  const subjects = await writer.subjects.lock(subjectsOf(readings, sessions));
  const answered = await findAnswered(writer.readings, readings, sessions);
  const progress = beginProgress(sessions, subjects, answered, nowMs);
  const advances = readings.map((reading) => advanceReading(progress, reading));
  const triggers = await writer.triggers.find(sightedSubjects(advances));
  const remembered = rememberTopics(progress, advances, triggers);
  await writer.sessions.save(progress.changedSessions, nowMs);
  await writer.subjects.save(progress.changedSubjects);
  await writer.subjects.unlay([...subjects.keys()].filter((id) => !progress.subjects.get(id)));
  await writer.triggers.save(remembered.triggers);
  await writer.readings.append(remembered.stored);
  const isTold = await tellWebhooks(writer, advances, nowMs);
  return advances.map((advance, index) => toOutcome(advance, remembered.answers[index], isTold));
}

/** Puts the events into the outbox and tells whether it did: where nobody is told of them they need no row. */
async function tellWebhooks(writer: Writer, advances: readonly Advance[], nowMs: number): Promise<boolean> {
  const events = advances.flatMap((advance) => (advance.kind === 'taken' && advance.event) || []);
  if (events.length === 0 || !(await writer.webhooks.exist())) return false;
  await writer.outbox.append(events, nowMs);
  return true;
}

function toOutcome(advance: Advance, answer: Answer | undefined, isTold: boolean): Outcome {
  if (advance.kind === 'refused') return { refusal: advance.refusal };
  return { answer: answer as Answer, isTold };
}
