import type { AlertPlan, Subject } from '../../packages/score/rows/person.js';
import type { HistoryPoint } from '../../packages/score/signals.js';
import type { BoundSession } from '../store/person-rows.js';
import type { GroupProgress, ProcessedReading } from './progress.js';

const minuteMs = 60_000;

interface Group {
  /** Number of the rules and receivers of the account. */
  readonly epoch: number;
  /** The people before the group. */
  readonly before: ReadonlyMap<string, Subject | undefined>;
  /** The sessions that the group binds to people. */
  readonly bound: readonly BoundSession[];
}

/** Changes the plans of the people whose alert rules a group of readings makes due. Uses only what the group has read. */
export function planAlerts(
  { sessions, subjects, changedSubjects, nowMs }: GroupProgress,
  advances: readonly ProcessedReading[],
  { epoch, before, bound }: Group,
): void {
  const change = (subjectId: string, follow: (plan: AlertPlan | undefined) => AlertPlan | undefined) => {
    const subject = subjects.get(subjectId);
    const alert = follow(subject?.alert);
    if (!subject || alert === subject.alert) return;
    subjects.set(subjectId, { ...subject, alert });
    changedSubjects.set(subjectId, { ...subject, alert });
  };
  for (const advance of advances) {
    if (advance.kind !== 'taken' && advance.kind !== 'replaced') continue;
    const { subjectId } = sessions.get(advance.submitted.sessionId)?.session ?? {};
    if (subjectId === undefined) continue;
    // A past reading changes what is usual, and a replacement an earlier score. An import causes one evaluation a minute.
    if (advance.kind === 'replaced' || advance.submitted.isBackfill)
      change(subjectId, (plan) => plan && bringForward(plan, Math.ceil(nowMs / minuteMs) * minuteMs));
    else
      change(subjectId, (plan) => followReading(plan, epoch, advance.step.point, advance.submitted.timestampMs, nowMs));
  }
  const joined = bound.flatMap(({ isNew, subjectId }) => (isNew ? [] : subjectId));
  const concerned = [...changedSubjects].flatMap(([id, { active }]) => {
    const known = before.get(id)?.active;
    return active?.some((topic) => !known?.includes(topic)) ? id : [];
  });
  // The earlier readings of a session become those of its person.
  for (const id of [...joined, ...concerned]) change(id, (plan) => plan && bringForward(plan, nowMs));
}

function bringForward(plan: AlertPlan, dueMs: number): AlertPlan {
  return dueMs < (plan.dueMs ?? Infinity) ? { ...plan, dueMs } : plan;
}

/** Returns the plan after a live reading. A score at the level, or before the known start of high scores, may end it earlier. */
function followReading(
  plan: AlertPlan | undefined,
  epoch: number,
  { score, confidence }: Pick<HistoryPoint, 'score' | 'confidence'>,
  timestampMs: number,
  nowMs: number,
): AlertPlan {
  if (plan?.epoch !== epoch) return { epoch, dueMs: nowMs };
  const { level = Infinity, untilMs = Infinity, sinceMs = -Infinity, afterMs = 0, ...rest } = plan;
  const isHigh = (confidence > 0 ? score : 0) >= level || nowMs >= untilMs;
  if (!isHigh && timestampMs >= sinceMs) return plan;
  const followed = isHigh ? { ...rest, afterMs } : plan;
  return bringForward({ ...followed, sinceMs: timestampMs }, Math.max(nowMs, timestampMs + afterMs));
}
