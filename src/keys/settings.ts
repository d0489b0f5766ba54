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

/** How long an account may keep readings, in hours. */
export type HoursAllowed = readonly [least: number, most: number];

const settings: { readonly [Name in keyof AccountSettings]-?: Setting<AccountSettings[Name]> } = {
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
  keep_readings_hours: {
    description:
      'keep readings and facts for HOURS, at most RETENTION_READINGS_MAX_HOURS. A shorter time deletes within a minute',
    values: { default: undefined },
  },
};

type SettingName = keyof typeof settings;
const fields = Object.keys(settings) as SettingName[];
/** The setting that is a number of hours, or `default`. */
const hoursField = 'keep_readings_hours';

const tierWords = Object.keys(tiers).sort((a) => (a === keySettings.default_tier ? -1 : 0));
export const settingLines = [
  `tier ${tierWords.join('|')}: how many calls per month the account may make`,
  ...fields.map((field) => {
    const words = [...Object.keys(settings[field].values), ...(field === hoursField ? ['HOURS'] : [])];
    return `${toWord(field)} ${words.join('|')}: ${settings[field].description}`;
  }),
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
    const [word] = Object.entries(settings[field].values).find(([, value]) => value === all[field]) ?? [];
    return [toWord(field), word ?? String(all[field])];
  });
}

/**
 * Changes the tier or a setting of an account, given as words of the command line. Writes the change to the audit log. Throws a
 * KeyError for an unknown account, setting or value, and for hours that are not allowed.
 */
export async function changeSetting(
  keys: KeyTable,
  { account, name, word }: { readonly account: string; readonly name: string; readonly word: string },
  nowMs: number,
  hours: HoursAllowed = [1, 87_600],
): Promise<void> {
  const field = fields.find((it) => toWord(it) === name);
  if (!field && name !== 'tier')
    throw new KeyError(`"${name}" is not a setting: use ${['tier', ...fields.map(toWord)].join(', ')}`);
  const values: Readonly<Record<string, unknown>> = field ? settings[field].values : tiers;
  const [least, most] = hours;
  const isHours = field === hoursField && /^\d+$/.test(word) && Number(word) >= least && Number(word) <= most;
  if (!isHours && !Object.hasOwn(values, word)) {
    const others = field === hoursField ? [`${least} to ${most} (RETENTION_READINGS_MAX_HOURS)`] : [];
    const allowed = [...(field ? Object.keys(values) : tierWords), ...others].join(' or ');
    throw new KeyError(`"${word}" is not a value of ${name}: use ${allowed}`);
  }
  await keys.transact(async (writer) => {
    const { accountId, tier, settings: stored } = requireAccount(await writer.lockAccount(account), account);
    if (field) await writer.saveSettings(accountId, { ...stored, [field]: isHours ? Number(word) : values[word] });
    else await writer.setTier(accountId, word as Tier);
    const from = field ? new Map(describeSettings(stored)).get(name) : tier;
    await audit(writer, { action: 'set', nowMs, accountId, details: { setting: name, from, to: word } });
  });
}

function toWord(field: string): string {
  return field.replace(/_hours$/, '').replaceAll('_', '-');
}
