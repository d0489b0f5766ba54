import { enums } from '../../generated/spec.js';
import type { Fact } from './measurement.js';
import { textMaxCharacters } from './names.js';
import type { Submission } from './signals.js';

export type ActivityLevel = NonNullable<Submission['activity_level']>;
export const activityLevels: readonly ActivityLevel[] = enums.ActivityLevel;

/**
 * Words of sports by their energy, from the Compendium of Physical Activities (Ainsworth et al. 2011) with the bounds of the
 * ACSM: light below 3 MET, moderate below 6, vigorous from 6. The first row with a word of the name counts.
 */
const words: readonly (readonly [RegExp, ActivityLevel | undefined])[] = [
  [/\b(meditat|mind|breath|driv|motor|car\b|bus\b|train\b|fly|gam|esport|sauna|rest|sleep)/, undefined],
  [/\b(yoga|pilates|tai|flex|stretch|mobil|cool|fish|sail|shoot|arch|geocach)/, 'light'],
  [
    /\b(run|jog|tread|bik|cycl|ride|spin|swim|row|hik|mountain|hill|cross|nordic|skat|snowsho|climb|stair|wheelchair)/,
    'vigorous',
  ],
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

/** Returns the fact that a sport states. Undefined if the name is absent or no sport. `rest` names the fact and its revision. */
export function toExercise(
  sport: string | undefined,
  atMs: number,
  untilMs: number | undefined,
  rest: Pick<Fact, 'id' | 'revision'> = {},
): Fact | undefined {
  const level = classifySport(sport);
  return level && { kind: 'exercise', level, atMs, untilMs, ...rest };
}

/** Returns true if two steps follow each turn of the cadence. */
export function isOnFoot(name: string | undefined): boolean {
  return /\b(run|jog|tread|walk|hik|rucking|mountaineer|9$)/.test(listWords(name));
}

function listWords(name = ''): string {
  const separate = name
    .slice(0, textMaxCharacters)
    .replace(/^HKWorkoutActivityType/, '')
    .replace(/([a-z])(?=[A-Z])/g, '$1 ');
  return separate
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

/** Names of the exercise types in the database of Health Connect, by number, from Android's `ExerciseSessionType`. */
export const healthConnectSports: readonly string[] = (
  'other,badminton,baseball,basketball,biking,biking,boot camp,boxing,calisthenics,cricket,dancing,exercise class,fencing,' +
  'football,football,frisbee,golf,breathing,gymnastics,handball,interval training,hiking,ice hockey,ice skating,martial arts,' +
  'paddling,paragliding,pilates,racquetball,rock climbing,roller hockey,rowing,rugby,running,running,sailing,scuba diving,' +
  'skating,skiing,snowboarding,snowshoeing,soccer,softball,squash,stair climbing,strength,stretching,surfing,swimming,' +
  'swimming,table tennis,tennis,volleyball,walking,water polo,weightlifting,wheelchair,yoga,other,stair climbing,elliptical,' +
  'rowing'
).split(',');

/** Names of the exercise types that apps get from the library of Health Connect, which numbers them in another way. */
export const jetpackSports: Readonly<Record<number, string>> = {
  ...{ 2: 'badminton', 4: 'baseball', 5: 'basketball', 8: 'biking', 9: 'biking', 10: 'boot camp', 11: 'boxing' },
  ...{ 13: 'calisthenics', 14: 'cricket', 16: 'dancing', 25: 'elliptical', 26: 'exercise class', 27: 'fencing' },
  ...{ 28: 'football', 29: 'football', 31: 'frisbee', 32: 'golf', 33: 'breathing', 34: 'gymnastics', 35: 'handball' },
  ...{ 36: 'interval training', 37: 'hiking', 38: 'ice hockey', 39: 'ice skating', 44: 'martial arts', 46: 'paddling' },
  ...{ 47: 'paragliding', 48: 'pilates', 50: 'racquetball', 51: 'rock climbing', 52: 'roller hockey', 53: 'rowing' },
  ...{ 54: 'rowing', 55: 'rugby', 56: 'running', 57: 'running', 58: 'sailing', 59: 'scuba diving', 60: 'skating' },
  ...{ 61: 'skiing', 62: 'snowboarding', 63: 'snowshoeing', 64: 'soccer', 65: 'softball', 66: 'squash' },
  ...{ 68: 'stair climbing', 69: 'stair climbing', 70: 'strength', 71: 'stretching', 72: 'surfing', 73: 'swimming' },
  ...{ 74: 'swimming', 75: 'table tennis', 76: 'tennis', 78: 'volleyball', 79: 'walking', 80: 'water polo' },
  ...{ 81: 'weightlifting', 82: 'wheelchair', 83: 'yoga' },
};
