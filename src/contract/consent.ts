import { consent as settings, enums, signals as contract } from '../../generated/spec.js';
import type { Consent, ConsentCategory, LiveSignals } from '../../packages/score/rows/person.js';
import type { Session } from '../../packages/score/rows/session.js';
import type { SignalName } from '../../packages/score/rows/values.js';
import { labelNames, type ReadingContent } from '../../packages/score/signals.js';

/** The categories that a person allows at one time. */
export type AllowedCategories = ReadonlySet<ConsentCategory>;

const allCategories = enums.ConsentCategory;
const isLabel = (name: SignalName) => (labelNames as readonly string[]).includes(name);

/** Returns true if the consent is past its end. */
export function isExpired({ expiresAtMs }: Pick<Consent, 'expiresAtMs'>, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/**
 * Returns the biometric categories of a consent whose context permits none. Empty if the account states a medical or
 * safety purpose.
 */
export function findRefusedCategories(
  { context, categories }: Pick<Consent, 'context' | 'categories'>,
  hasPurpose: boolean,
): ConsentCategory[] {
  const isRestricted = (settings.restricted_contexts as readonly string[]).includes(context) && !hasPurpose;
  return isRestricted
    ? categories.filter((it) => (settings.biometric_categories as readonly string[]).includes(it))
    : [];
}

/**
 * Returns the categories that a consent allows at a time. `hasPurpose`: the account states a medical or safety purpose.
 */
export function readAllowed(consent: Consent, hasPurpose: boolean, nowMs: number): AllowedCategories {
  if (consent.isUnverified || isExpired(consent, nowMs)) return new Set();
  const refused = findRefusedCategories(consent, hasPurpose);
  return new Set(consent.categories.filter((it) => !refused.includes(it)));
}

type Extent = Pick<Consent, 'categories' | 'expiresAtMs'>;

/**
 * Returns a consent without what another one does not allow, or not as long. Returns the same object if it allows all of
 * it.
 */
export function narrowConsent<C extends Extent>(consent: C, { categories, expiresAtMs = Infinity }: Extent): C {
  const kept = consent.categories.filter((it) => categories.includes(it));
  const isLonger = kept.length > 0 && (consent.expiresAtMs ?? Infinity) > expiresAtMs;
  if (kept.length === consent.categories.length && !isLonger) return consent;
  return { ...consent, categories: kept, ...(isLonger && { expiresAtMs }) };
}

/** Returns the measured values that are allowed, and the names of the signals that are not. */
export function keepAllowed(
  measured: ReadingContent,
  allowed: AllowedCategories,
): { readonly kept: ReadingContent; readonly dropped: readonly string[] } {
  const names = Object.keys(contract) as Array<keyof typeof contract>;
  const refused = names.filter((name) => measured[name] !== undefined && !allowed.has(contract[name].consent));
  if (refused.length === 0) return { kept: measured, dropped: [] };
  const { derived, ...values } = measured;
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !(refused as string[]).includes(name)));
  const left = derived?.filter((name) => !(refused as string[]).includes(name)) ?? [];
  // The reading did not contain a derived value. Its text is listed instead.
  const dropped = refused.filter((name) => !(derived as readonly string[] | undefined)?.includes(name));
  return { kept: left.length > 0 ? { ...kept, derived: left } : kept, dropped };
}

/**
 * Returns a session without the live values of the categories that are not allowed. Its published state remains, because
 * it belongs to an earlier reading. Returns the same object if nothing changes.
 */
export function removeLiveValues(session: Session, allowed: AllowedCategories): Session {
  const removed = allCategories.filter((category) => !allowed.has(category));
  const cleared = removed.reduce((so, category) => without(so, findDerived[category](so)), session);
  const lost = (Object.keys(session.signals) as SignalName[]).filter(
    (name) => session.signals[name] !== undefined && !allowed.has(contract[name].consent),
  );
  const past = session.past && removeLiveValues(session.past, allowed);
  const calmed = lost.some(isLabel) ? withoutExpressed(cleared) : cleared;
  if (lost.length === 0) return without(calmed, { past });
  const signals = Object.entries(session.signals).filter(([name]) => !(lost as string[]).includes(name));
  return { ...calmed, signals: Object.fromEntries(signals), past };
}

/** Returns what the sessions of a person share, without the categories that are not allowed. */
export function keepAllowedLive(
  { signals, heart, implied, movement, stated }: LiveSignals,
  allowed: AllowedCategories,
): LiveSignals {
  const kept = Object.entries(signals).filter(([name]) => allowed.has(contract[name as SignalName].consent));
  return {
    signals: Object.fromEntries(kept),
    ...(allowed.has('cardiovascular') && { heart, implied }),
    ...(allowed.has('movement') && { movement, stated }),
  };
}

/** Returns the values of a session, apart from its signals, that are derived from each category, as undefined. */
const findDerived: Readonly<Record<ConsentCategory, (session: Session) => Partial<Session>>> = {
  cardiovascular: ({ talk }) => ({
    ...{ baseline: undefined, recent: undefined, intervals: undefined, device: undefined, implied: undefined },
    // Keeps the turns, whose stress was measured while the heart data was allowed.
    talk: talk && without(talk, { bpm: undefined, lowBpm: undefined, lowEvidence: undefined, rise: undefined }),
  }),
  vocal: () => ({ agreeingTones: undefined }),
  visual: () => ({}),
  textual: () => ({ topicEvidence: undefined, sightedTopics: undefined, talk: undefined }),
  movement: () => ({ movement: undefined, stated: undefined }),
};

/** Removes the lasting evidence of voice, face and words, because it cannot be separated. */
function withoutExpressed({ held, published, ...session }: Session): Session {
  const calm = { expressed: undefined, words: undefined };
  return { ...session, published: { ...published, ...calm }, held: held && { ...held, ...calm } };
}

/** Returns an object with the changes. Returns the same object if they change nothing. */
function without<T extends object>(before: T, changes: Partial<T>): T {
  const isSame = Object.entries(changes).every(([name, value]) => before[name as keyof T] === value);
  return isSame ? before : { ...before, ...changes };
}
