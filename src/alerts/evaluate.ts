import type { Subject } from '../../packages/score/rows/person.js';
import { ProblemError } from '../contract/problem.js';
import { createAlertTable, findAccountsWithRules, type StoredAlertRule } from '../store/alerts.js';
import type { DigestId } from '../store/erased-ids.js';
import type { SlicedScope } from '../store/scope.js';
import type { Absence } from '../store/service-runs.js';
import type { Store } from '../store/store.js';
import { createHourReader } from '../store/subject-hours.js';
import { createTriggerReader } from '../store/triggers.js';
import { createWebhookTable } from '../store/webhooks.js';
import { view } from '../view/view.js';
import { computeUsual, conditions, isQuiet, listUsualHours, type PersonFacts } from './conditions.js';
import { type Candidate, fire, selectDue } from './fire.js';

/** Number of people whose rules fire in one transaction. */
const pagePeople = 100;

/** The last person of an evaluation that ended early. */
export interface Cursor {
  readonly accountId: string;
  readonly subjectId: string;
}

export interface EvaluationParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  /** Returns the times in which no process of the service ran, oldest first. */
  readonly findAbsences: () => Promise<readonly Absence[]>;
  /** Returns true if the time of the evaluation is used up. */
  readonly isOver: () => boolean;
  /** The claimed minute, in epoch ms. */
  readonly minuteMs: number;
}

/** Result of an evaluation. `cursor` is set if it ended early. */
export interface Evaluation {
  readonly fired: number;
  readonly cursor?: Cursor | undefined;
}

/**
 * Evaluates the rules of all accounts, from a cursor on. Ends early if the time is used up, or if another process has
 * claimed a later minute.
 */
export async function evaluate(parts: EvaluationParts, from: Cursor | undefined): Promise<Evaluation> {
  let fired = 0;
  for (const accountId of await parts.store.run(findAccountsWithRules)) {
    if (from && accountId < from.accountId) continue;
    const after = accountId === from?.accountId ? from.subjectId : '';
    const ended = await evaluateAccount(parts, parts.store.read(accountId), after);
    fired += ended.fired;
    if (ended.subjectId !== undefined) return { fired, cursor: { accountId, subjectId: ended.subjectId } };
  }
  return { fired };
}

/** Evaluates the rules of an account for the people after an id. `subjectId` is the last one, if it ended early. */
async function evaluateAccount(parts: EvaluationParts, scope: SlicedScope, from: string) {
  const { store, now } = parts;
  const table = createAlertTable(scope);
  const rules = (await table.list()).filter((rule) => !isQuiet(rule, now()));
  // Without a receiver, nothing fires, so that a webhook which is registered later misses nothing.
  const isReceived = rules.length > 0 && (await createWebhookTable(scope).isReceived('alert'));
  let [fired, after] = [0, from];
  while (isReceived) {
    const readAtMs = now();
    const watched = listWatched(rules)?.filter((id) => id > after);
    const people = await table.people(after, pagePeople, watched);
    if (people.size === 0) break;
    const page = await findCandidates(parts, scope, rules, people);
    const ids = [...new Set(page.candidates.map(({ subjectId }) => subjectId))];
    // A lasting condition that fired before needs no transaction.
    const candidates = ids.length > 0 ? selectDue(page.candidates, await table.newestFirings(ids), now()) : [];
    if (candidates.length > 0) {
      const times = { minuteMs: parts.minuteMs, readAtMs, nowMs: now() };
      const count = await store.transact((openScope) =>
        fire(openScope(scope.accountId), candidates, { digestId: parts.digestId, ...times }),
      );
      if (count === undefined) return { fired, subjectId: after };
      fired += count;
    }
    after = page.last;
    if (parts.isOver()) return { fired, subjectId: after };
  }
  return { fired };
}

/** Returns the people that rules name, in order. Undefined if a rule watches everyone. */
function listWatched(rules: readonly StoredAlertRule[]): string[] | undefined {
  if (rules.some(({ subjectIds }) => subjectIds === undefined)) return undefined;
  return [...new Set(rules.flatMap(({ subjectIds = [] }) => subjectIds))].sort();
}

/** Returns the true conditions of people, up to the `last` one for whom there is time. */
async function findCandidates(
  { now, isOver, findAbsences }: EvaluationParts,
  scope: SlicedScope,
  rules: readonly StoredAlertRule[],
  people: ReadonlyMap<string, Subject>,
) {
  const candidates: Candidate[] = [];
  let last = '';
  for (const [subjectId, subject] of people) {
    last = subjectId;
    const nowMs = now();
    const facts = createFacts(scope, findAbsences, subjectId, subject, nowMs);
    for (const rule of rules) {
      if (rule.subjectIds && !rule.subjectIds.includes(subjectId)) continue;
      const truth = await conditions[rule.condition](rule, facts, nowMs);
      if (truth) candidates.push({ ...truth, rule, subjectId });
    }
    await scope.pause(1);
    if (isOver()) break;
  }
  return { candidates, last };
}

function createFacts(
  scope: SlicedScope,
  absences: PersonFacts['absences'],
  subjectId: string,
  subject: Subject,
  nowMs: number,
): PersonFacts {
  const whose = { kind: 'person', subjectId } as const;
  return {
    newestMs: subject.newest?.atMs,
    absences,
    points: (ms) =>
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
