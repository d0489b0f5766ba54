import type { AccountSettings, Schema } from '../contract/contract.js';
import type { Subject } from '../../packages/score/rows/person.js';
import type { ComputedState, Session } from '../../packages/score/rows/session.js';
import type { ReadingContent } from '../../packages/score/signals.js';
import type { Trigger } from '../../packages/score/rows/trigger.js';

/**
 * A row that is rewritten with each reading has a length that is a multiple of `step`, in characters. It keeps the length of
 * the row before until it is `slack` shorter. InnoDB changes a row in place if its length stays, which halves what MariaDB
 * writes to the redo log.
 */
const rewritten = { step: 32, slack: 256 };

/** Formats of JSON columns. Those of alert rules, consents and webhooks are in the files of their tables. */
export const rowFormats = {
  sourceKeyPost: createRowFormat<Schema<'SourceKeyPost'>>('post of a source key'),
  accountSettings: createRowFormat<AccountSettings>('set of account settings'),
  session: createRowFormat<Omit<Session, 'subjectId'>>('session', rewritten),
  subject: createRowFormat<Subject>('subject', rewritten),
  signals: createRowFormat<ReadingContent>('list of signals'),
  response: createRowFormat<StoredResponse>('response'),
  statusChanges: createRowFormat<Pick<Trigger, 'changes'>>('list of status changes'),
};

/** The part of a computed state that the other columns of its reading do not contain. */
type StoredResponse = Pick<ComputedState, 'reason' | 'learned'> &
  Partial<ComputedState> & {
    /** `isWeak` of the point, if it differs from that of the state: of a late or replaced reading. */
    readonly isPointWeak?: boolean;
  };

/** The version of every format. A format that changes after 1.0.0 gets its own version, and reads the earlier ones. */
const version = 1;

/** Defines one kind of stored JSON object, e.g. `{"v":1,"active":["exams"],"resolved":[]}`. Spaces may follow. */
export function createRowFormat<Content extends object>(name: string, { step, slack } = { step: 1, slack: 0 }) {
  return {
    /** Returns the content as JSON text with its format version in `v`. `before` is the length of the stored row, if known. */
    encode(content: Content, before = 0): string {
      // Adds `v` to the JSON text. `{ v, ...content }` would copy the content, which takes as long as `JSON.stringify`.
      const text = JSON.stringify(content);
      const row = text === '{}' ? `{"v":${version}}` : `{"v":${version},${text.slice(1)}`;
      const length = Math.ceil(row.length / step) * step;
      return row.padEnd(before > length + slack ? length : Math.max(before, length));
    },
    /** Returns the content of a row. Throws for an unknown version. */
    decode(text: string): Content {
      const { v, ...content } = JSON.parse(text);
      if (v === version) return content;
      const found = `A stored ${name} has row format version ${JSON.stringify(v)}; this release reads ${version}.`;
      throw new Error(`${found} Run the release that wrote it, or a later one.`);
    },
  };
}
