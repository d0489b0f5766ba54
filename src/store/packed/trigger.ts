import type { Trigger, TriggerStatus } from '../../domain/triggers.js';
import { parsePacked } from './parse.js';

/** By their place they are stored: to be added to at the end only. */
const statuses: readonly TriggerStatus[] = ['observed', 'active', 'resolved'];

/**
 * A trigger as it is stored: its values in this order, because it is written anew with each sighting. Changes are
 * places of statuses and instants by turns.
 */
type PackedTrigger = readonly [
  status: number,
  recent: number,
  scoreSum: number,
  sightings: number,
  peakScore: number,
  sessions: number,
  lastSeenMs: number,
  changes: readonly number[],
  sessionId?: string,
  atMs?: number,
  resolving?: number,
];

export function triggerText(trigger: Trigger): string {
  const { status, recent, scoreSum, sightings, peakScore, sessions, lastSeenMs, activation } = trigger;
  const changes: number[] = [];
  for (const change of trigger.changes) changes.push(statuses.indexOf(change.status), change.atMs);
  const values = [
    statuses.indexOf(status),
    recent,
    scoreSum,
    sightings,
    peakScore,
    sessions,
    lastSeenMs,
    changes,
  ] as const;
  const packed: PackedTrigger = activation
    ? [...values, activation.sessionId, activation.atMs, activation.resolving]
    : values;
  return JSON.stringify(packed);
}

export const toTrigger = (text: string): Trigger => parsePacked(text, unpack);

function unpack(packed: PackedTrigger): Trigger {
  const [status, recent, scoreSum, sightings, peakScore, sessions, lastSeenMs, instants, sessionId, atMs, resolving] =
    packed;
  const changes = Array.from({ length: instants.length / 2 }, (_, index) => ({
    status: statusAt(instants[2 * index]),
    atMs: instants[2 * index + 1] as number,
  }));
  const all = { status: statusAt(status), recent, scoreSum, sightings, peakScore, sessions, lastSeenMs, changes };
  return sessionId === undefined
    ? all
    : { ...all, activation: { sessionId, atMs: atMs as number, resolving: resolving as number } };
}

const statusAt = (place: number | undefined): TriggerStatus => statuses[place as number] as TriggerStatus;
