import { facts as settings } from '../../generated/spec.js';
import { createFactTable, type FactCursor, toFact } from '../store/facts.js';
import { omitLeftovers } from '../store/leftovers.js';
import type { OperationRecord } from './operation.js';
import { createCursors, digits, findPage } from './page.js';

const cursors = createCursors<FactCursor>({ startMs: digits, factId: '[!-~]{1,256}' });

/** Returns a page of the facts of a person that cover a part of a range, by start. */
export const listFacts: OperationRecord<'listFacts', 'store' | 'pause' | 'digestId'> = {
  personalData: 'reads',
  async handle({ store, pause, digestId }, { query: { subject_id, from, to, cursor } }, { accountId }) {
    const scope = store.read(accountId, pause);
    const toMs = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time));
    const range = { fromMs: toMs(from), toMs: toMs(to) };
    const find = (after: FactCursor | undefined, max: number) =>
      createFactTable(scope).page(subject_id, range, after, max);
    const { page, next_cursor } = await findPage(cursors, settings.page_size, cursor, find);
    await pause(page.length);
    const dated = page.map((fact) => ({ ...fact, subjectId: subject_id, createdAtMs: fact.recordedAtMs }));
    const facts = (await omitLeftovers(scope, dated, digestId)).map((fact) => toFact(subject_id, fact));
    return { status: 200, body: { facts, next_cursor } };
  },
};
