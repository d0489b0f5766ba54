import { beginProgress, processReading } from '../../../src/readings/advance.js';
import type { PreparedReading } from '../../../src/readings/prepared-reading.js';
import type { AcceptedReading } from '../../../src/readings/progress.js';
import { updateTriggers } from '../../../src/readings/topics.js';
import type { Subject } from '../../../packages/score/rows/person.js';
import type { ReadingContent } from '../../../packages/score/signals.js';
import type { Trigger } from '../../../packages/score/rows/trigger.js';
import { toProfile } from '../../../packages/score/triggers.js';
import type { StoredSession } from '../../../src/store/sessions.js';
import type * as world from '../../../packages/tools/evaluate/protocol/weeks-world.js';
import type { Message } from './weeks-texts.js';

export type Life = world.Life<Message>;
type Said = world.Said<Message>;

/**
 * `separate`: the account has `share_signals off`, so each session is scored with its own signals. `same`: the session of
 * a chat also has the watch, from some minutes before it.
 */
export const sharings = ['separate', 'shared', 'same'] as const;
export type Sharing = (typeof sharings)[number];

/** What Trigger Memory says about a person at the end, by topic. */
export interface Remembered {
  readonly life: Life;
  readonly active: ReadonlySet<string>;
  /** Topics named in at least two turns with a rise. */
  readonly stressful: ReadonlySet<string>;
  readonly triggers: ReadonlyMap<string, Trigger>;
  /** The triggers as the API returns them. */
  readonly profile: ReturnType<typeof toProfile>;
}

const risenTurnsMin = 2;

/** The weeks of a person, lived in parts. */
interface Weeks {
  readonly sinceMs: number;
  readonly ingest: Ingest;
  /** Number of turns with a rise by topic, of all topics that were sighted. */
  readonly risen: ReadonlyMap<string, number>;
}

const noWeeks = (sharing: Sharing): Weeks => ({ sinceMs: 0, ingest: createIngest(sharing), risen: new Map() });

/** Sends a life as live readings through the functions of ingest, without HTTP and database. */
export function liveThrough(life: Life, sharing: Sharing): Remembered {
  return remember(life, liveUntil(noWeeks(sharing), life, sharing));
}

/** Returns a life, and another one that is the same until a time, each at its end. */
export function liveTwice(life: Life, other: Life, sameUntilMs: number, sharing: Sharing): [Remembered, Remembered] {
  const weeks = liveUntil(noWeeks(sharing), life, sharing, sameUntilMs);
  const fork = { ...weeks, ingest: weeks.ingest.fork() };
  return [remember(life, liveUntil(weeks, life, sharing)), remember(other, liveUntil(fork, other, sharing))];
}

/** Sends the readings of a life that follow the earlier weeks, until a time. */
function liveUntil(
  { sinceMs, ingest, risen: before }: Weeks,
  { person, minutes, turns }: Life,
  sharing: Sharing,
  untilMs = Infinity,
): Weeks {
  const risen = new Map(before);
  const chatOf = (chat: number) => `${person}-chat-${chat}`;
  const wear = ({ atMs, heartRate, chat }: world.WornMinute) => {
    const session = sharing === 'same' && chat !== undefined ? chatOf(chat) : `${person}-watch`;
    ingest.send(session, atMs, { heart_rate: heartRate });
  };
  // A reading requires a signal, so a chat sends a neutral face.
  const say = (said: Said) => {
    const { topics } = ingest.send(chatOf(said.chat), said.atMs, { expression: 'neutral' }, said);
    for (const topic of topics) risen.set(topic, (risen.get(topic) ?? 0) + Number(said.isStressful));
  };
  const events = [
    ...minutes.map((it) => [it.atMs, () => wear(it)] as const),
    ...turns.map((it) => [it.atMs, () => say(it)] as const),
  ];
  for (const [, happen] of events.filter(([at]) => at > sinceMs && at <= untilMs).sort(([a], [b]) => a - b)) happen();
  return { sinceMs: untilMs, ingest, risen };
}

function remember(life: Life, { ingest: { triggers, readProfile }, risen }: Weeks): Remembered {
  const active = [...triggers].filter(([, { status }]) => status === 'active').map(([topic]) => topic);
  const stressful = [...risen].filter(([, count]) => count >= risenTurnsMin).map(([topic]) => topic);
  const sets = { active: new Set(active), stressful: new Set(stressful) };
  return { life, ...sets, triggers, profile: readProfile() };
}

interface Ingest {
  readonly triggers: ReadonlyMap<string, Trigger>;
  send(sessionId: string, timestampMs: number, signals: ReadingContent, said?: Said): AcceptedReading;
  readProfile(): Remembered['profile'];
  fork(): Ingest;
}

interface Stored {
  readonly sessions: ReadonlyMap<string, StoredSession>;
  readonly subjects: ReadonlyMap<string, Subject | undefined>;
  readonly triggers: ReadonlyMap<string, Trigger>;
}

const nothing: Stored = { sessions: new Map(), subjects: new Map(), triggers: new Map() };

/** Returns what is stored of one person, and a function that processes a reading as ingest does. */
function createIngest(sharing: Sharing, stored = nothing): Ingest {
  const sessions = new Map(stored.sessions);
  let subjects = new Map(stored.subjects);
  const triggers = new Map(stored.triggers);
  const subjectId = 'person';
  let count = 0;
  const send = (sessionId: string, timestampMs: number, signals: ReadingContent, said?: Said): AcceptedReading => {
    if (!sessions.has(sessionId)) sessions.set(sessionId, { incarnation: '', session: undefined });
    const found = { sessions, subjects, alreadyStored: new Map(), erasedAtMs: () => 0, nowMs: timestampMs };
    const key = { accountId: 'lab', sessionId, subjectId, timestampMs, digest: String(count++) };
    const turn = said && { turn: said.message.analysis };
    const reading = { ...key, signals, ...turn, ...(sharing === 'separate' && { sharesSignals: false as const }) };
    const progress = beginProgress(found);
    const taken = processReading(progress, reading satisfies PreparedReading);
    if (taken.kind !== 'taken') throw new Error(`a reading of the simulation was ${taken.kind}`);
    const updated = updateTriggers(progress, [taken], new Map([[subjectId, triggers]])).triggers.get(subjectId);
    for (const [topic, trigger] of updated ?? []) triggers.set(topic, trigger);
    for (const [id, changed] of progress.changedSessions) sessions.set(id, changed);
    subjects = progress.subjects;
    return taken;
  };
  const readProfile = () => toProfile(subjectId, triggers, subjects.get(subjectId)?.turns);
  return { send, triggers, readProfile, fork: () => createIngest(sharing, { sessions, subjects, triggers }) };
}
