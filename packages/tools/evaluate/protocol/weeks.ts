import type { Row } from './rows.js';
import { type Read, readRows, readStreams, readWearers, type Wearer } from './wearers.js';
import { type Area, type Life, measureRises, type Message, type Rise, simulateLives, startMs } from './weeks-world.js';

/** The constants of topics were chosen with knowledge of the figures of these seeds. */
const seeds = [101, 102];
/** An area is stressful if so many turns about it had a rise. */
const risenTurnsMin = 2;

/** SAD's labels. `Other` names no area. */
export const areaOfLabel: Readonly<Record<string, Area>> = {
  Work: 'work',
  School: 'school',
  'Financial Problem': 'finances',
  'Health, Fatigue, or Physical Pain': 'health',
  'Family Issues': 'family',
  'Social Relationships': 'relationships',
  'Emotional Turmoil': 'emotional_wellbeing',
  'Everyday Decision Making': 'daily_decisions',
};

/** What the assistant answers to each message. */
export const answer = 'I understand. Tell me more.';

export interface Sentence extends Message {
  readonly text: string;
  /** Where the text is from, e.g. `sad/Inquire`. */
  readonly source: string;
}

/** A minute of the watch, or what the person says in a chat. Times count from the start of the weeks, s. */
export interface WeekEvent {
  readonly person: string;
  readonly second: number;
  readonly heart_rate?: number;
  readonly message?: string;
  /** Number of the chat of a message. */
  readonly chat?: number;
}

/** Returns the same weeks for the same files. Each wearer is three people per seed. */
export function simulateWeeks(read: Read): {
  readonly lives: readonly Life<Sentence>[];
  readonly events: readonly WeekEvent[];
} {
  const { wearers, rises } = readWorld(read);
  const sentences = readSentences(read);
  const lives = seeds.flatMap((seed) =>
    simulateLives(wearers, rises, sentences, seed).map((life) => ({ ...life, person: `${life.person}-${seed}` })),
  );
  return { lives, events: lives.flatMap(listEvents).sort((a, b) => a.second - b.second) };
}

/** Reads the days of the wearers, and the rises of the heart rate in stress. */
export function readWorld(read: Read): { readonly wearers: Wearer[]; readonly rises: Rise[] } {
  return {
    wearers: readWearers(read('wearers_dev.csv')),
    rises: measureRises(readStreams(read('wrist_dev.csv')) ?? []),
  };
}

/** Returns stressors with an area, and small talk. */
function readSentences(read: Read): Sentence[] {
  const concerns = readRows(read('sad_dev.csv')).flatMap(({ sentence = '', is_stressor, top_label = '', source }) => {
    const area = areaOfLabel[top_label];
    return is_stressor === '1' && area ? [{ text: sentence, area, source: `sad/${source}` }] : [];
  });
  const chat = readRows(read('everyday_dev.csv')).filter(({ kind }) => kind === 'chat');
  return [...concerns, ...chat.map(({ text = '' }) => ({ text, area: undefined, source: 'everyday/chat' }))];
}

function listEvents({ person, minutes, turns }: Life<Sentence>): WeekEvent[] {
  const toSecond = (atMs: number) => (atMs - startMs) / 1000;
  return [
    ...minutes.map(({ atMs, heartRate }) => ({ person, second: toSecond(atMs), heart_rate: heartRate })),
    ...turns.map(({ atMs, chat, message }) => ({ person, second: toSecond(atMs), chat, message: message.text })),
  ];
}

/** Returns the areas that a person talks about. The stressful ones are the side `stressor`. */
export function listAreas({ turns }: Life): { readonly area: Area; readonly side: NonNullable<Row['side']> }[] {
  const named = turns.flatMap(({ message: { area }, isStressful }) => (area ? [{ area, isStressful }] : []));
  return [...new Set(named.map(({ area }) => area))].map((area) => {
    const risen = named.filter((it) => it.area === area && it.isStressful).length;
    return { area, side: risen >= risenTurnsMin ? 'stressor' : 'rest' };
  });
}
