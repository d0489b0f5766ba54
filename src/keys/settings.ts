import { keys as keySettings, tiers } from '../../generated/spec.js';
import type { AccountSettings, Tier } from '../contract/contract.js';
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

const tierWords = Object.keys(tiers).sort((a) => (a === keySettings.default_tier ? -1 : 0));
export const settingLines = [
  `tier ${tierWords.join('|')}: how many calls per month the account may make`,
  ...fields.map(
    (field) => `${toWord(field)} ${Object.keys(settings[field].values).join('|')}: ${settings[field].description}`,
  ),
];

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
 * Changes the tier or a setting of an account, given as words of the command line. Writes the change to the audit log. Throws a
 * KeyError for an unknown account, setting or value.
 */
export async function changeSetting(
  keys: KeyTable,
  { account, name, word }: { readonly account: string; readonly name: string; readonly word: string },
  nowMs: number,
): Promise<void> {
  const field = fields.find((it) => toWord(it) === name);
  if (!field && name !== 'tier')
    throw new KeyError(`"${name}" is not a setting: use ${['tier', ...fields.map(toWord)].join(', ')}`);
  const words = field ? Object.keys(settings[field].values) : tierWords;
  if (!words.includes(word)) throw new KeyError(`"${word}" is not a value of ${name}: use ${words.join(' or ')}`);
  await keys.transact(async (writer) => {
    const { accountId, tier, settings: stored } = requireAccount(await writer.lockAccount(account), account);
    if (field) await writer.saveSettings(accountId, { ...stored, [field]: settings[field].values[word] });
    else await writer.setTier(accountId, word as Tier);
    const from = field ? new Map(describeSettings(stored)).get(name) : tier;
    await audit(writer, { action: 'set', nowMs, accountId, details: { setting: name, from, to: word } });
  });
}

function toWord(field: string): string {
  return field.replaceAll('_', '-');
}
