import type { AccountSettings } from '../contract/contract.js';
import type { KeyTable } from '../store/keys.js';
import { audit } from './audit.js';
import { KeyError, requireAccount } from './manage.js';

/** A setting of an account: the words of the command line with their values. The first value is the default. */
interface Setting<Value> {
  readonly description: string;
  readonly values: Readonly<Record<string, Value>>;
}

const settings: { readonly [Name in keyof AccountSettings]-?: Setting<NonNullable<AccountSettings[Name]>> } = {
  derive_sentiment: {
    description: 'estimate the sentiment of a message, in readings that do not state derive_sentiment',
    values: { off: false, on: true },
  },
  consent: {
    description: 'record the consent of people, or also reject signals without consent',
    values: { off: 'off', record: 'record', enforce: 'enforce' },
  },
  biometric_purpose: {
    description: 'state a purpose that permits biometric categories at work and in education. See docs/consent.md',
    values: { none: 'none', medical: 'medical', safety: 'safety' },
  },
  share_signals: {
    description: 'score a reading also with the newest signals of other sessions of the same person',
    values: { on: true, off: false },
  },
};

type SettingName = keyof typeof settings;
const fields = Object.keys(settings) as SettingName[];

export const settingLines = fields.map(
  (field) => `${toWord(field)} ${Object.keys(settings[field].values).join('|')}: ${settings[field].description}`,
);

/** Returns all settings of an account, with the defaults of absent ones. */
export function readSettings(stored: AccountSettings): Required<AccountSettings> {
  const entries = fields.map((field) => [field, stored[field] ?? Object.values(settings[field].values)[0]]);
  return Object.fromEntries(entries) as Required<AccountSettings>;
}

/** Returns the settings of an account as words of the command line, by name. */
export function describeSettings(stored: AccountSettings): ReadonlyArray<readonly [name: string, word: string]> {
  const all = readSettings(stored);
  return fields.map((field) => {
    const [word = ''] = Object.entries(settings[field].values).find(([, value]) => value === all[field]) ?? [];
    return [toWord(field), word];
  });
}

/**
 * Changes a setting of an account, given as words of the command line. Writes the change to the audit log. Throws a
 * KeyError for an unknown account, setting or value.
 */
export async function changeSetting(
  keys: KeyTable,
  { account, name, word }: { readonly account: string; readonly name: string; readonly word: string },
  nowMs: number,
): Promise<void> {
  const field = fields.find((it) => toWord(it) === name);
  if (!field) throw new KeyError(`"${name}" is not a setting: use ${fields.map(toWord).join(', ')}`);
  const { values } = settings[field];
  const value = Object.entries(values).find(([it]) => it === word)?.[1];
  if (value === undefined)
    throw new KeyError(`"${word}" is not a value of ${name}: use ${Object.keys(values).join(' or ')}`);
  await keys.transact(async (writer) => {
    const row = requireAccount(await writer.lockAccount(account), account);
    const from = new Map(describeSettings(row.settings)).get(name);
    await writer.saveSettings(row.accountId, { ...row.settings, [field]: value });
    await audit(writer, { action: 'set', nowMs, accountId: row.accountId, details: { setting: name, from, to: word } });
  });
}

function toWord(field: string): string {
  return field.replaceAll('_', '-');
}
