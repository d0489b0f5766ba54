import type { Subject } from '../../domain/subject.js';
import { type PackedBaseline, packBaseline, unpackBaseline } from './baseline.js';
import { topics } from './names.js';
import { parsePacked } from './parse.js';

/** A subject as it is stored: its values in this order, lists of topics as codes. */
type PackedSubject = readonly [active: string, resolved: string, baseline: PackedBaseline | null];

export function subjectText({ active, resolved, baseline }: Subject): string {
  const packed: PackedSubject = [topics.pack(active), topics.pack(resolved), baseline ? packBaseline(baseline) : null];
  return JSON.stringify(packed);
}

export const toSubject = (text: string): Subject => parsePacked(text, unpack);

function unpack([active, resolved, baseline]: PackedSubject): Subject {
  return {
    ...(baseline && { baseline: unpackBaseline(baseline) }),
    active: topics.unpack(active),
    resolved: topics.unpack(resolved),
  };
}
