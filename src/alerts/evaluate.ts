import type { Subject } from '../../packages/score/rows/person.js';
import { createAlertTable, type DueRow, type StoredAlertRule } from '../store/alerts.js';
import type { DigestId } from '../store/erased-ids.js';
import { isTransient } from '../store/retry.js';
import type { SlicedScope } from '../store/scope.js';
import type { Absence } from '../store/service-runs.js';
import type { Store } from '../store/store.js';
import { readSubject } from '../store/subjects.js';
import { createWebhookTable } from '../store/webhooks.js';
import { conditions, repeatMs } from './conditions.js';
import { readFacts } from './facts.js';
import { type Evaluated, settle } from './fire.js';

/** Number of people whose rules are evaluated before the next account has its turn. */
const slicePeople = 50;

export interface EvaluationParts {
  readonly store: Store;
  readonly digestId: DigestId;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
  /** Returns the times in which no process of the service ran, oldest first. */
  readonly findAbsences: () => Promise<readonly Absence[]>;
  /** Called if the evaluation of a person fails. It is repeated. */
  readonly onFailure: (error: unknown) => void;
}

/** Evaluates the rules of the people of an account who are due, at most `slicePeople`. Returns how many rules fired. */
export async function evaluateSlice(parts: EvaluationParts, accountId: string): Promise<number> {
  const { store, digestId, now, findAbsences, onFailure } = parts;
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
  const check = async (some: readonly DueRow[]) => checkRules(scope, rules, some, await findAbsences(), now());
  const evaluated = await check(people).catch(async (error: unknown) => {
    if (isTransient(error)) throw error;
    // The row of one person does not delay the others.
    const each = people.map((it) => check([it]).catch((cause: unknown) => (onFailure(cause), [])));
    return (await Promise.all(each)).flat();
  });
  if (evaluated.length === 0) return 0;
  return store.transact((scopeOf) =>
    settle(scopeOf(accountId), evaluated, { digestId, readAtMs, nowMs: now(), epoch }),
  );
}

/** Checks the rules that watch each person. */
export async function checkRules(
  scope: SlicedScope,
  rules: readonly StoredAlertRule[],
  people: readonly DueRow[],
  absences: readonly Absence[],
  nowMs: number,
): Promise<Evaluated[]> {
  const subjects = people.flatMap(({ subjectId, body }): Array<[string, Subject]> => {
    const subject = readSubject({ body });
    return subject ? [[subjectId, subject]] : [];
  });
  const factsOf = await readFacts(scope, rules, new Map(subjects), nowMs);
  return people.flatMap(({ subjectId, version }) => {
    const facts = factsOf.get(subjectId);
    if (!facts) return [];
    const watching = rules.filter(({ subjectIds }) => subjectIds?.includes(subjectId) ?? true);
    const all = { ...facts, absences };
    const checks = watching.map((rule) => ({ rule, check: conditions[rule.condition](rule, all, nowMs) }));
    return [{ subjectId, version, subject: facts.subject, checks }];
  });
}
