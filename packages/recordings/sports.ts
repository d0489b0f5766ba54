import type { Submission } from './signals.js';

export type ActivityLevel = NonNullable<Submission['activity_level']>;

/**
 * Words of sports by their energy, from the Compendium of Physical Activities (Ainsworth et al. 2011) with the bounds of the
 * ACSM: light below 3 MET, moderate below 6, vigorous from 6. The first row with a word of the name counts.
 */
const words: readonly (readonly [RegExp, ActivityLevel | undefined])[] = [
  [/\b(meditat|mind|breath|driv|motor|car\b|bus\b|train\b|fly|gam|esport|sauna|rest|sleep)/, undefined],
  [/\b(yoga|pilates|tai|flex|stretch|mobil|cool|fish|sail|shoot|arch|geocach)/, 'light'],
  [/\b(run|jog|tread|bik|cycl|ride|spin|swim|row|hik|mountain|hill|cross|nordic|skat|snowsho|climb|stair)/, 'vigorous'],
  [
    /\b(hiit|interval|cardio|tabata|box|kick|martial|soccer|foot|basket|hand|hockey|rugby|lacrosse|ultimate)/,
    'vigorous',
  ],
  [/\b(tennis|squash|racq?u?et|padel|jump|multi|tri|duathlon|rucking|^1$|^9$)/, 'vigorous'],
];

/**
 * Returns how much a person moves in a sport, e.g. `trail_running`, `Biking` or `HKWorkoutActivityTypeYoga`. A sport without a
 * known word, and one that the file does not tell, such as `Other`, is moderate. Undefined if the name is absent or no sport.
 */
export function classifySport(name: string | undefined): ActivityLevel | undefined {
  const text = listWords(name);
  const [, level] = words.find(([it]) => it.test(text)) ?? [undefined, 'moderate' as const];
  return text === '' ? undefined : level;
}

/** Returns true if two steps follow each turn of the cadence. */
export function isOnFoot(name: string | undefined): boolean {
  return /\b(run|jog|tread|walk|hik|rucking|mountaineer|9$)/.test(listWords(name));
}

function listWords(name = ''): string {
  const separate = name.replace(/^HKWorkoutActivityType/, '').replace(/([a-z])(?=[A-Z])/g, '$1 ');
  return separate
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}
