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

type Judged = Omit<Message, 'sentiment'> & Partial<Pick<Message, 'sentiment'>>;
type Said = world.Said<Judged>;

/** What a chat sends with a message: its sentiment as the service derives it, or nothing that tells of stress. */
export const modes = ['heart', 'words'] as const;
export type Mode = (typeof modes)[number];

/** What Trigger Memory says about a person at the end, by topic. */
export interface Remembered {
  readonly triggers: ReadonlyMap<string, Trigger>;
  /** The turns that named each topic. */
  readonly said: ReadonlyMap<string, readonly Said[]>;
  /** The triggers as the API returns them. */
  readonly profile: ReturnType<typeof toProfile>;
}

/** Sends a life as live readings through the functions of ingest, without HTTP and database. */
export function liveThrough({ person, minutes, turns }: world.Life<Judged>, mode: Mode): Remembered {
  const ingest = createIngest();
  const said = new Map<string, Said[]>();
  const wear = ({ atMs, heartRate }: world.WornMinute) =>
    ingest.send(`${person}-watch`, atMs, { heart_rate: heartRate });
  const say = (it: Said) => {
    const { sentiment } = it.message;
    // A reading requires a signal, so a chat without words sends a neutral face.
    const signals = mode === 'words' && sentiment !== undefined ? { sentiment } : { expression: 'neutral' as const };
    const { topics, calm } = ingest.send(`${person}-chat-${it.chat}`, it.atMs, signals, it);
    for (const topic of [...topics, ...(calm?.topics ?? [])]) said.set(topic, [...(said.get(topic) ?? []), it]);
  };
  const events = [
    ...minutes.map((it) => [it.atMs, () => wear(it)] as const),
    ...turns.map((it) => [it.atMs, () => say(it)] as const),
  ];
  for (const [, happen] of events.sort(([a], [b]) => a - b)) happen();
  return { triggers: ingest.triggers, said, profile: ingest.readProfile() };
}

interface Ingest {
  readonly triggers: ReadonlyMap<string, Trigger>;
  send(sessionId: string, timestampMs: number, signals: ReadingContent, said?: Said): AcceptedReading;
  readProfile(): Remembered['profile'];
}

/** Returns what is stored of one person, and a function that processes a reading as ingest does. */
function createIngest(): Ingest {
  const sessions = new Map<string, StoredSession>();
  let subjects: ReadonlyMap<string, Subject | undefined> = new Map();
  const triggers = new Map<string, Trigger>();
  const subjectId = 'person';
  let count = 0;
  const send: Ingest['send'] = (sessionId, timestampMs, signals, said) => {
    if (!sessions.has(sessionId)) sessions.set(sessionId, { incarnation: '', session: undefined });
    const found = { sessions, subjects: new Map(subjects), alreadyStored: new Map(), erasedAtMs: () => 0 };
    const key = { accountId: 'lab', sessionId, subjectId, timestampMs, digest: String(count++) };
    const reading = { ...key, signals, ...(said && { turn: said.message.analysis }) };
    const progress = beginProgress({ ...found, nowMs: timestampMs });
    const taken = processReading(progress, reading satisfies PreparedReading);
    if (taken.kind !== 'taken') throw new Error(`a reading of the simulation was ${taken.kind}`);
    const updated = updateTriggers(progress, [taken], new Map([[subjectId, triggers]])).triggers.get(subjectId);
    for (const [topic, trigger] of updated ?? []) triggers.set(topic, trigger);
    for (const [id, changed] of progress.changedSessions) sessions.set(id, changed);
    subjects = progress.subjects;
    return taken;
  };
  return { send, triggers, readProfile: () => toProfile(subjectId, triggers, subjects.get(subjectId)?.turns) };
}
