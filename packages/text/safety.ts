import type { components } from '../../generated/api.js';
import { safetyFinding as settings } from './settings.js';
import { dangerPatterns, i as firstPerson, isDangerWord } from './danger-patterns.js';
import type { HeadScores } from './linear.js';
import type { Words } from './tokens.js';

export type SafetyKind = components['schemas']['SafetyFinding']['kind'];

/** The dangers, the most urgent first. The model has a class per danger, in this order. */
export const dangerKinds = ['suicidal_thoughts', 'self_harm', 'violence'] as const satisfies readonly SafetyKind[];

const patterns = dangerKinds.map((kind) => compilePatterns(dangerPatterns[kind]));

/** Returns one expression for the patterns in the first person, which finds it once, and one for the others. */
function compilePatterns(all: readonly string[]): RegExp[] {
  const own = all.filter((it) => it.startsWith(firstPerson)).map((it) => it.slice(firstPerson.length));
  const others = all.filter((it) => !it.startsWith(firstPerson));
  const join = (some: readonly string[]) => some.map((it) => `(?:${it})`).join('|');
  return [...(own.length > 0 ? [new RegExp(`${firstPerson}(?:${join(own)})`)] : []), new RegExp(join(others))];
}

/** Returns the danger that a message in English may describe. Undefined if none is found. Never throws. */
export function findDanger(
  message: string,
  hasDangerWord: boolean,
  scores: HeadScores['safety'],
): SafetyKind | undefined {
  const explicit = hasDangerWord ? findExplicit(message) : undefined;
  if (explicit !== undefined) return explicit;
  return computeDangerLogOdds(scores) >= settings.log_odds_min
    ? dangerKinds[scores.indexOf(Math.max(...scores))]
    : undefined;
}

/** Returns the log odds of any danger. */
export function computeDangerLogOdds(scores: HeadScores['safety']): number {
  const most = Math.max(...scores);
  return most + Math.log(scores.reduce((sum, it) => sum + Math.exp(it - most), 0));
}

/** Returns true if a text has a word without which no pattern matches. Expects the words as they are written. */
export function hasDangerWord({ hashes, count }: Words): boolean {
  for (let i = 0; i < count; i++) if (isDangerWord(hashes[i] ?? 0)) return true;
  return false;
}

/** Returns the danger that a message states explicitly. */
export function findExplicit(message: string): SafetyKind | undefined {
  const text = withoutQuotes(message.toLowerCase())
    .replace(/['’]/g, '')
    .replace(/[^a-z]+/g, ' ')
    .trim();
  return dangerKinds.find((_, k) => patterns[k]?.some((pattern) => pattern.test(text)));
}

/** Returns a text without its quotes, because they are the words of others. Keeps a text that is one quote. */
export function withoutQuotes(text: string): string {
  const others = text.replace(/"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|\*[^*\n]+\*/g, ' ');
  return /\p{L}/u.test(others) ? others : text;
}

/** A denial in the first person, up to the denied words. The model counts words, so a denial alone resembles a statement. */
const denial =
  /\b(?:do not|don['’]?t|never|would never|wouldn['’]?t|will not|won['’]?t|am not going to|['’]?m not going to)(?: ever| really| actually){0,2}(?: want| wish| plan| intend| mean)?(?: to)? (?:(?:kill|hurt|harm|cut) my ?self|die|be dead|end (?:my life|it all))\b/gi;

/** Returns the statements of the speaker: a text without its quotes and without what it denies. */
export const keepStatements = (text: string): string => withoutQuotes(text).replace(denial, ' ');
