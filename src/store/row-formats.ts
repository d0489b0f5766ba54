import type { AccountSettings } from '../contract/contract.js';
import type { ComputedState, Session, Subject } from '../score/remembered.js';
import type { ReadingContent } from '../score/signals.js';
import type { Trigger } from '../score/triggers.js';
import type { StoredConsent } from './consents.js';
import type { StoredWebhook } from './webhooks.js';

/** Formats of the JSON columns. Every released version stays readable: see `row-formats.test.ts`. */
export const rowFormats = {
  accountSettings: createRowFormat<AccountSettings>('set of account settings'),
  session: createRowFormat<Omit<Session, 'subjectId'>>('session'),
  subject: createRowFormat<Subject>('subject'),
  consent: createRowFormat<Omit<StoredConsent, 'version' | 'recordedAtMs'>>('consent'),
  signals: createRowFormat<ReadingContent>('list of signals'),
  response: createRowFormat<StoredResponse>('response'),
  statusChanges: createRowFormat<Pick<Trigger, 'changes'>>('list of status changes'),
  webhook: createRowFormat<Omit<StoredWebhook, WebhookColumn>>('webhook'),
};

/** The part of a computed state that the other columns of its reading do not contain. */
type StoredResponse = Pick<ComputedState, 'reason' | 'learned'> & Partial<ComputedState>;

/** Fields of a webhook that have a separate column. */
type WebhookColumn = 'webhookId' | 'url' | 'sessionId' | 'subjectId' | 'registeredEpoch' | 'disabledEpoch';

/** Parsed JSON of a column, before its version is checked. */
type Json = Readonly<Record<string, unknown>>;

/** Writes and reads one kind of stored JSON object, e.g. `{"v":1,"active":["exams"],"resolved":[]}`. */
export interface RowFormat<Content extends object> {
  /** The format version that this release writes. This release reads this version and all earlier versions. */
  readonly version: number;
  /** Returns the content as JSON text with its format version in `v`. */
  encode(content: Content): string;
  /** Returns the content of a row of this or any earlier version. Throws for an unknown version. */
  decode(text: string): Content;
}

/**
 * Defines the format of one kind of row. `upgrades[n]` converts content of version n + 1 to version n + 2. The current
 * version is therefore the number of upgrades plus one. A new optional field requires no upgrade. A renamed, removed or
 * reinterpreted field requires an upgrade.
 */
export function createRowFormat<Content extends object>(
  name: string,
  upgrades: ReadonlyArray<(older: Json) => Json> = [],
): RowFormat<Content> {
  const version = upgrades.length + 1;
  return {
    version,
    encode: (content) => JSON.stringify({ v: version, ...content }),
    decode(text) {
      const { v, ...content } = JSON.parse(text) as Json;
      if (v === version) return content as Content;
      if (!isVersion(v, version)) throw new Error(unreadable(name, v, version));
      return upgrades.slice(v - 1).reduce((older, upgrade) => upgrade(older), content as Json) as Content;
    },
  };
}

function isVersion(v: unknown, newest: number): v is number {
  return Number.isInteger(v) && (v as number) >= 1 && (v as number) <= newest;
}

function unreadable(name: string, v: unknown, newest: number): string {
  const found = `A stored ${name} has row format version ${JSON.stringify(v)}; this release reads 1 to ${newest}.`;
  return `${found} Run the release that wrote it, or a later one.`;
}
