import { seededRandom } from '../../../packages/tools/terminal/scenes.js';
import { type AcceptedReading, beginProgress, processReading } from '../../../src/readings/advance.js';
import type { PreparedReading } from '../../../src/readings/intake.js';
import { updateTriggers } from '../../../src/readings/topics.js';
import type { Subject } from '../../../packages/score/rows/person.js';
import type { ReadingContent } from '../../../packages/score/signals.js';
import type { Trigger } from '../../../packages/score/rows/trigger.js';
import type { StoredSession } from '../../../src/store/sessions.js';
import type { Life, Said } from './weeks-world.js';

/** Signals of the chat. The watch sends its heart rate in all modes except `words`. */
export const modes = ['heart', 'tone', 'words', 'all'] as const;
export type Mode = (typeof modes)[number];

/** `separate`: the account has `share_signals off`, so each session is scored with its own signals. */
export const sharings = ['separate', 'shared'] as const;
export type Sharing = (typeof sharings)[number];

/** What Trigger Memory says about a person at the end, by topic. */
export interface Remembered {
  readonly life: Life;
  /** All topics that were sighted. */
  readonly known: ReadonlySet<string>;
  readonly active: ReadonlySet<string>;
  /** Topics named in at least two turns with a rise. */
  readonly stressful: ReadonlySet<string>;
  readonly triggers: ReadonlyMap<string, Trigger>;
}

const risenTurnsMin = 2;
const stressfulTones = ['tense', 'frustrated', 'anxious'] as const;
const calmTones = ['neutral', 'calm', 'focused'] as const;

/** Sends the weeks of a person as live readings through the functions of ingest, without HTTP and database. */
export function liveThrough(life: Life, mode: Mode, sharing: Sharing, seed: number): Remembered {
  const ingest = createIngest(sharing);
  const random = seededRandom(seed);
  const risen = new Map<string, number>();
  const known = new Set<string>();
  const minutes = [...(mode === 'words' ? [] : life.minutes)].reverse();
  const wearUntil = (untilMs: number) => {
    for (let minute = minutes.at(-1); minute && minute.atMs <= untilMs; minute = minutes.at(-1)) {
      ingest.send(`${life.person}-watch`, minute.atMs, { heart_rate: minute.heartRate });
      minutes.pop();
    }
  };
  for (const said of life.turns) {
    wearUntil(said.atMs);
    const signals = drawSignals(said, mode, random);
    const { topics } = ingest.send(`${life.person}-chat-${said.chat}`, said.atMs, signals, said);
    for (const topic of topics) {
      known.add(topic);
      if (said.isStressful) risen.set(topic, (risen.get(topic) ?? 0) + 1);
    }
  }
  wearUntil(Infinity);
  const active = [...ingest.triggers].filter(([, { status }]) => status === 'active').map(([topic]) => topic);
  const stressful = [...risen].filter(([, count]) => count >= risenTurnsMin).map(([topic]) => topic);
  return { life, known, active: new Set(active), stressful: new Set(stressful), triggers: ingest.triggers };
}

/** A reading requires a signal, so a chat without one sends a neutral face. */
function drawSignals({ isStressful, message }: Said, mode: Mode, random: () => number): ReadingContent {
  const tones = isStressful ? stressfulTones : calmTones;
  const tone = tones[Math.floor(random() * tones.length)];
  const hasWords = mode === 'words' || mode === 'all';
  const hasTone = mode === 'tone' || mode === 'all';
  return {
    ...(hasTone && { tone }),
    ...(hasWords &&
      message.sentiment !== undefined && { sentiment: message.sentiment, derived: ['sentiment'] as const }),
    ...(!hasTone && { expression: 'neutral' as const }),
  };
}

/** Returns the state of one person, and a function that processes a reading as ingest does. */
function createIngest(sharing: Sharing) {
  const sessions = new Map<string, StoredSession>();
  let subjects = new Map<string, Subject | undefined>();
  const triggers = new Map<string, Trigger>();
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
  return { send, triggers };
}
