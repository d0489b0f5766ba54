import { textMaxCharacters } from './names.js';

/** Kinds of devices by words of their names, the most accurate for heart data first. A device of another kind has no row. */
const kinds = [
  /strap|belt|chest|hrm|tickr|\bh(7|9|10)\b/i,
  /watch|band|ring\b|whoop|garmin|fitbit|forerunner|f[eē]nix|v[ií]vo|venu|instinct|polar|suunto|coros|amazfit/i,
  /^(?!.*(phone|pixel|android|galaxy (s|a)\d))/i,
];

/** Returns the rank of a device, 0 for a chest strap, then watches, unknown devices and phones. */
export function rankDevice(name: string): number {
  const rank = kinds.findIndex((it) => it.test(name.slice(0, textMaxCharacters)));
  return rank < 0 ? kinds.length : rank;
}

/** Returns a name as `source_device` allows it: printable ASCII of at most 64 characters. Undefined if nothing is left. */
export function toDeviceLabel(name: string): string | undefined {
  const letters = name.slice(0, textMaxCharacters).normalize('NFKD').replace(/[’‘]/g, "'");
  return (
    letters
      .replace(/[^ -~]/g, '')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, maximum) || undefined
  );
}

const maximum = 64;

/** Words that apps write in a column of sources, which say what the person or the app did and name no device. */
const contextWords = new Set(
  (
    'rest resting awake wake asleep sleep sleeping nap workout exercise training session activity active inactive sedentary ' +
    'sitting standing lying walking running idle still moving motion live background foreground manual automatic auto ' +
    'measured estimated continuous spot periodic interval day daytime night nighttime baseline recovery unknown none null ' +
    'int internal external ruhe wach schlaf aktiv nuit jour repos sommeil réveil reposo despierto sueño entrenamiento riposo'
  ).split(' '),
);

/** Returns true for the name of a source that is no device, e.g. `rest` or `awake` of Oura. */
export function isContextWord(name: string): boolean {
  return name.length < 16 && contextWords.has(name.trim().toLowerCase());
}
