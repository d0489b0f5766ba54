import type { Subject } from '../../packages/score/rows/person.js';
import { ProblemError } from '../contract/problem.js';
import { createAlertTable, type DueRow, type StoredAlertRule } from '../store/alerts.js';
import type { DigestId } from '../store/erased-ids.js';
import type { SlicedScope } from '../store/scope.js';
import type { Store } from '../store/store.js';
import { createHourReader } from '../store/subject-hours.js';
import { readSubject } from '../store/subjects.js';
import { createTriggerReader } from '../store/triggers.js';
import { createWebhookTable } from '../store/webhooks.js';
import { view } from '../view/view.js';
import { computeUsual, conditions, listUsualHours, type PersonFacts, repeatMs } from './conditions.js';
import { type Evaluated, settle } from './fire.js';
import type { CheckedRule } from './plan.js';

/** Number of people whose rules are evaluated before the next account has its turn. */
const slicePeople = 20;

export interface EvaluationParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  /** Returns the times in which no process of the service ran, oldest first. */
  readonly findAbsences: PersonFacts['absences'];
  /** Called if the evaluation of a person fails. It is repeated. */
  readonly onFailure: (error: unknown) => void;
}

/** Evaluates the rules of the people of an account who are due, at most `slicePeople`. Returns how many rules fired. */
export async function evaluateSlice(
  { store, digestId, now, findAbsences, onFailure }: EvaluationParts,
  accountId: string,
): Promise<number> {
  const scope = store.read(accountId);
  const table = createAlertTable(scope);
  const readAtMs = now();
  const people = await table.due(readAtMs, slicePeople);
  const ids = people.map(({ subjectId }) => subjectId);
  // Another process then passes over them. They are due again if this one ends.
  if (!(await table.postpone(ids, readAtMs, readAtMs + repeatMs))) return 0;
  // Read before the rules. A rule or a receiver that is created meanwhile has a later epoch.
  const epoch = await createWebhookTable(scope).readEpoch();
  // Without a receiver, nothing fires, so that a webhook which is registered later misses nothing.
  const rules = (await createWebhookTable(scope).isReceived('alert')) ? await table.list() : [];
  const evaluated: Evaluated[] = [];
  for (const person of people) {
    const checked = await checkRules(scope, rules, { ...person, absences: findAbsences }, now()).catch(
      (error: unknown) => void onFailure(error),
    );
    if (checked) evaluated.push({ ...person, ...checked });
    await scope.pause(1);
  }
  if (evaluated.length === 0) return 0;
  const parts = { digestId, readAtMs, nowMs: now(), epoch };
  return store.transact((scopeOf) => settle(scopeOf(accountId), evaluated, parts));
}

/** Checks the rules that watch a person. */
export async function checkRules(
  scope: SlicedScope,
  rules: readonly StoredAlertRule[],
  { subjectId, body, absences }: Pick<DueRow, 'subjectId' | 'body'> & Pick<PersonFacts, 'absences'>,
  nowMs: number,
): Promise<{ readonly subject: Subject; readonly checks: CheckedRule[] } | undefined> {
  const subject = readSubject({ body });
  if (!subject) return undefined;
  const facts = { ...createFacts(scope, subjectId, subject, nowMs), absences };
  const checks = [];
  for (const rule of rules)
    if (rule.subjectIds?.includes(subjectId) ?? true)
      checks.push({ rule, check: await conditions[rule.condition](rule, facts, nowMs) });
  return { subject, checks };
}

function createFacts(scope: SlicedScope, subjectId: string, subject: Subject, nowMs: number) {
  const whose = { kind: 'person', subjectId } as const;
  return {
    newestMs: subject.newest?.atMs,
    points: (ms: number) =>
      view(scope, {})
        .history(whose, { afterMs: nowMs - ms, nowMs })
        .catch(noneOfErased),
    async usual() {
      return computeUsual(await createHourReader(scope).storedAt(subjectId, listUsualHours(nowMs)));
    },
    async activations() {
      if (!subject.active?.length) return [];
      const triggers = [...(await createTriggerReader(scope).ofSubject(subjectId)).values()];
      return triggers.flatMap(({ status, changes }) => (status === 'active' && changes.at(-1)) || []);
    },
  };
}

function noneOfErased(error: unknown): [] {
  if (error instanceof ProblemError) return [];
  throw error;
}
