import { byRecency, type Trigger, type TriggerStatus } from './triggers.js';
import type { Subject } from './remembered.js';

/** A new subject without any data. */
export const unknownSubject: Subject = {};

type Seen = Pick<Trigger, 'status' | 'lastSeenMs'>;

/** Moves a topic to its position in the list of its status. Returns the same object if nothing changes. */
export function nameTopic(
  subject: Subject,
  topic: string,
  trigger: Seen,
  triggerOf: (other: string) => Seen | undefined,
): Subject {
  const isAhead = (other: string): boolean => {
    const known = triggerOf(other);
    return known !== undefined && byRecency([other, known], [topic, trigger]) < 0;
  };
  const placed = (names: readonly string[] | undefined, status: TriggerStatus) =>
    trigger.status === status ? withName(names ?? [], topic, isAhead) : without(names, topic);
  const active = placed(subject.active, 'active');
  const resolved = placed(subject.resolved, 'resolved');
  const isSame = active === subject.active && resolved === subject.resolved;
  return isSame ? subject : { ...subject, active, resolved };
}

function withName(names: readonly string[], name: string, isAhead: (other: string) => boolean): readonly string[] {
  const others = without(names, name) ?? [];
  const behind = others.findIndex((other) => !isAhead(other));
  const at = behind < 0 ? others.length : behind;
  return names[at] === name ? names : [...others.slice(0, at), name, ...others.slice(at)];
}

/** Returns the list without a name. Returns undefined instead of an empty list. */
function without(names: readonly string[] | undefined, name: string): readonly string[] | undefined {
  if (!names?.includes(name)) return names;
  return names.length > 1 ? names.filter((it) => it !== name) : undefined;
}
