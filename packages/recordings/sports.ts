import { enums } from '../../generated/spec.js';
import type { Fact } from './measurement.js';
import { textMaxCharacters } from './names.js';
import type { Submission } from './signals.js';
import { sportWords } from './sport-names.js';

export type ActivityLevel = NonNullable<Submission['activity_level']>;
export const activityLevels: readonly ActivityLevel[] = enums.ActivityLevel;

/** How much a person moves in a sport whose name shows it. `none` is no sport. */
type Level = ActivityLevel | 'none';

/**
 * Words of sports by their energy, from the Compendium of Physical Activities (Ainsworth et al. 2011) with the bounds of the
 * ACSM: light below 3 MET, moderate below 6, vigorous from 6. The first row with a word of the name counts.
 */
const words: readonly (readonly [RegExp, Level])[] = [
  [
    /\b(meditat|mindful|mind (and|body)|breath|driving\b(?! range)|motor|car\b|bus\b|train\b|flying|gaming|video game|esport|sauna)/,
    'none',
  ],
  [/\b(yoga|pilates|tai|flex|stretch|mobil|cool|fish|sail|shoot|arch|geocach)/, 'light'],
  [
    /\b(run|jog|tread|bik|cycl|ride|spin|swim|row|hik|mountain|hill|cross(?! train)|nordic|skat|snowsho|climb|stair|wheelchair)/,
    'vigorous',
  ],
  [
    /\b(hiit|interval|cardio|tabata|box|kick|martial|soccer|foot|basket|hand(ball|cycl|bik)|hockey|rugby|lacrosse|ultimate)/,
    'vigorous',
  ],
  [/\b(tennis|squash|ra(cq?u?|ck)et|wrestl|track and|padel|jump|multi|tri|duathlon|rucking|^1$|^9$)/, 'vigorous'],
  [/\b(rest|resting|sleep\w*|nap)\b/, 'none'],
  [
    /\b(walk|strength|weight|elliptical|ski|skiing|snowboard|danc|golf|gymnast|aerobic|calisthen|circuit|boot ?camp)/,
    'moderate',
  ],
  [
    /\b(badminton|baseball|softball|volleyball|cricket|fencing|frisbee|surf|paddl|kayak|canoe|scuba|snorkel|div)/,
    'moderate',
  ],
  [
    /\b(garden|housework|horse|equest|curling|bowling|billiard|barre|core|functional|hula|water|wakeboard|sled)/,
    'moderate',
  ],
  [
    /\b(boating|hang glid|snowmobil|raft|(wind|kite|wake)surf|hunt|pickleball|apnea|tactical|grinding|play|preparation)/,
    'moderate',
  ],
  [/\b(other|generic|workout|training|fitness|exercise class|gym|sport|transition|paraglid)/, 'moderate'],
];

/** The kinds of words of other languages, in their order. A separator in a word stands for any. */
const foreign = sportWords.map(([kind, names]) => {
  const parts = names.split(' ').map((it) => it.normalize('NFKC').replaceAll('·', '[^\\p{L}]+'));
  // In scripts with spaces, a short word is whole, because it may be a part of any other.
  const patterns = parts.map((it) =>
    /^[\p{sc=Latin}\p{sc=Cyrillic}]{1,4}$/u.test(it) ? `(?<!\\p{L})${it}(?!\\p{L})` : it,
  );
  return [new RegExp(patterns.join('|'), 'u'), kind === 'walk' ? 'moderate' : kind, kind] as const;
});

/** The level that explains the heart rate of an exercise whose sport is not known. */
const unknownLevel: ActivityLevel = 'vigorous';

/**
 * Returns how much a person moves in a sport, e.g. `trail_running`, `屋外ランニング` or `HKWorkoutActivityTypeYoga`. One that the
 * file does not tell, such as `Other`, is moderate, and a name without a known word counts as the level that explains most.
 * Undefined if the name is absent or no sport.
 */
export function classifySport(name: string | undefined): ActivityLevel | undefined {
  const level = findLevel(name);
  return level === 'none' ? undefined : level === 'unknown' ? unknownLevel : level;
}

/** A recording names the same sport at each of its points. */
const known = new Map<string, Level | 'unknown'>();
const knownMax = 200;

/** Returns the level of a name. `none` if it is absent or no sport. */
function findLevel(name = ''): Level | 'unknown' {
  const key = name.slice(0, textMaxCharacters);
  const level = known.get(key) ?? computeLevel(key);
  if (known.size >= knownMax) known.clear();
  known.set(key, level);
  return level;
}

function computeLevel(name: string): Level | 'unknown' {
  const text = listWords(name);
  const [, level] = words.find(([it]) => it.test(text)) ?? [];
  if (level !== undefined || name.trim() === '') return level ?? 'none';
  return findForeign(name)?.[1] ?? 'unknown';
}

function findForeign(name: string) {
  const text = name.slice(0, textMaxCharacters).normalize('NFKC').toLowerCase();
  return foreign.find(([pattern]) => pattern.test(text));
}

/**
 * Returns the fact that a sport states, without a level if its name does not show it. Undefined if the name is absent or no
 * sport. `rest` names the fact and its revision.
 */
export function toExercise(
  sport: string | undefined,
  atMs: number,
  untilMs: number | undefined,
  rest: Pick<Fact, 'id' | 'revision'> = {},
): Fact | undefined {
  const level = findLevel(sport);
  if (level === 'none') return undefined;
  return { kind: 'exercise', level: level === 'unknown' ? undefined : level, atMs, untilMs, ...rest };
}

/** Returns true if two steps follow each turn of the cadence. */
export function isOnFoot(name: string | undefined): boolean {
  if (/\b(run|jog|tread|walk|hik|rucking|mountaineer|9$)/.test(listWords(name))) return true;
  return findForeign(name ?? '')?.[2] === 'walk';
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
