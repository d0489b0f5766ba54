import { type DangerRole, dangerRoles, dangerWords, type DangerWords } from './foreign-danger-words.js';
import { toLatinHindi } from './hindi-letters.js';
import { listLanguages, tableLanguages } from './recognize-language.js';
import { dangerKinds, type SafetyKind } from './safety.js';
import type { Words } from './tokens.js';

/**
 * Whole statements of a danger in other languages than English. A sentence becomes a string with a letter per word: its role
 * ({@link dangerRoles}), `x` for any other word. The rules read these strings and are the same for all languages.
 */

/** Words before a statement in which a word of R makes it the words of others, or fiction. */
const OTHERS_BEFORE = 9;
/** Words before and after a statement in which a word of J makes it a figure of speech. */
const JOKES_NEAR = 6;

/** Neither a denial nor another person before a statement, with pronouns between. */
const own = '(?<!N[IEx]?)(?<!Q)';
const rules: Readonly<Record<SafetyKind, readonly string[]>> = {
  suicidal_thoughts: [
    ...['K', `${own}W[^NRJV]{0,4}D`, `${own}W[^NRJV]{0,1}S`, `${own}(?:W[^NR]{0,3}E|EW)[^NRPA]{0,4}U`],
    '(?:Nx?[EM]?x?W|W[^R]{0,3}N)[^RJDUP]{0,3}V(?!P)',
    '(?:NC|CN)[^RP]{0,2}MV(?!P)|(?:NC|CN)[^RP]{0,2}VM(?!P)',
    'N[^RP]{0,3}G[^RNP]{0,3}[VL]|[VL][^RP]{0,2}N[^RP]{0,2}G(?!P)',
    `${own}Z[^NRJ]{0,4}[SDT]|${own}[^NR]T(?!N)|^T`,
    'B[^R]{0,4}O|O[^R]{0,4}B|N[^R]{0,4}O',
    '[SD][^NR]{0,5}X|X[^NR]{0,5}[SD]|^[xE]?[SD]$|^WE?[SD]$',
  ],
  self_harm: [`${own}H(?!N)`],
  violence: ['(?<!N[IEx]?)Y', 'Q[^NRQ]{0,4}E[^NRQ]{0,4}A|Q[^NRQ]{0,2}A[^NRQ]{0,2}E|Q[^RQ]{0,9}(?:AE|EA)|FQ'],
};
/** Of languages whose verb of a wish stands at the end. */
const verbLast = [
  `${own}D[^NRJP]{0,2}W(?!N)|E[^NR]{0,4}U[^NR]{0,2}W|V[^R]{0,1}N[^R]{0,1}W|N[^RP]{0,2}M?VW|(?<!N.?)S[^NR]{0,2}Z`,
];
/** Of languages whose verbs contain the object. */
const withObject = ['Q[^NRQ]{0,4}A'];

/** A language with its compiled patterns. */
interface Finder {
  readonly rewrites: ReadonlyArray<readonly [RegExp, string]>;
  readonly roles: RegExp;
  readonly letters: readonly DangerRole[];
  readonly rules: ReadonlyArray<readonly [SafetyKind, RegExp]>;
  readonly hasSpaces: boolean;
}

type DangerLanguage = keyof typeof dangerWords;
const finders = new Map<DangerLanguage, Finder>();

/**
 * Returns the danger that a message states in another language than English, also within English text. Undefined if there
 * is none. Expects the words as they are written. Linear in the length. Never throws.
 */
export function findForeignDanger(text: string, words: Words): SafetyKind | undefined {
  const languages = listLanguages(words);
  if (languages === 0 && words.isAscii) return undefined;
  const found = new Set<SafetyKind>();
  const inLatin = languages === 0 ? [] : splitWords(words);
  tableLanguages.forEach((language, k) => {
    if ((languages & (1 << k)) !== 0 && language in dangerWords) addDangers(found, language as DangerLanguage, inLatin);
  });
  if (!words.isAscii)
    for (const [language, letters] of scripts)
      if (letters.test(text))
        addDangers(found, language, splitText(language === 'hi' ? toLatinHindi(text) : text.replace(/[a-z]+/gi, ' ')));
  return dangerKinds.find((kind) => found.has(kind));
}

const scripts: ReadonlyArray<readonly [DangerLanguage, RegExp]> = [
  ['zh', /\p{Script=Han}/u],
  ['ar', /\p{Script=Arabic}/u],
  ['hi', /\p{Script=Devanagari}/u],
];

/** Returns the sentences of a text in the Latin alphabet, without accents, and without doubled letters. */
function splitWords({ letters, starts, ends, sentences }: Words): string[] {
  return sentences.map(({ from, to }) => {
    const codes = letters.subarray(starts[from], ends[to - 1]);
    return withoutDoubles(Buffer.from(codes).toString('latin1').replaceAll('_', ' '));
  });
}

/** Returns the sentences of a text in another alphabet, with letters that people confuse written alike. */
function splitText(text: string): string[] {
  const plain = text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\u064b-\u0652\u0640\u200c-\u200f]/g, '')
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ة/g, 'ه')
    .replace(/ؤ/g, 'و')
    .replace(/ئ/g, 'ي');
  return plain.split(/[.!?;\n。！？；…।؟؛]+/).map((it) => withoutDoubles(it.replace(/[^\p{L}\p{M}《]+/gu, ' ').trim()));
}

/** Returns the pattern that a list of {@link dangerWords} stands for. */
const expand = (source: string): string => source.replace(/\((?!\?)/g, '(?:').replace(/~(\d)/g, '(?:[^ ]+ ){0,$1}');

const withoutDoubles = (text: string): string => text.replace(/(?<!\\)([a-z])\1+/g, '$1');

const hasRole = /[A-Z]/;

function addDangers(found: Set<SafetyKind>, language: DangerLanguage, sentences: readonly string[]): void {
  const finder = finders.get(language) ?? compile(language);
  finders.set(language, finder);
  for (const sentence of sentences) {
    const roles = toRoles(finder, sentence);
    // Each rule requires a word with a role.
    if (!hasRole.test(roles)) continue;
    for (const [kind, rule] of finder.rules)
      if (!found.has(kind) && [...roles.matchAll(rule)].some((match) => isOwn(roles, match, kind))) found.add(kind);
  }
}

/** Returns true if the words around a statement do not show that it is a quote, fiction or a figure of speech. */
function isOwn(roles: string, { index = 0, 0: statement }: RegExpMatchArray, kind: SafetyKind): boolean {
  const end = index + statement.length;
  const before = roles.slice(Math.max(0, index - OTHERS_BEFORE), index);
  const isCondition = kind === 'suicidal_thoughts' && /I.{0,3}$/.test(before);
  return (
    !before.includes('R') &&
    !isCondition &&
    !roles.slice(Math.max(0, index - JOKES_NEAR), end + JOKES_NEAR).includes('J')
  );
}

/** Returns the role of each word of a sentence, in order. */
export function toRoles({ rewrites, roles, letters, hasSpaces }: Finder, sentence: string): string {
  const plain = rewrites.reduce((it, [from, to]) => it.replace(from, to), sentence);
  const tagged = plain.replace(roles, (...groups: unknown[]) => {
    const role = letters[groups.slice(1).findIndex((it) => it !== undefined)] ?? 'J';
    return hasSpaces ? role : ` ${role} `;
  });
  const tokens = hasSpaces ? tagged.split(' ') : tagged.split(/ +|(?<=[^A-Z ])/u);
  return tokens.map((token) => (token in dangerRoles ? token : token === '' ? '' : 'x')).join('');
}

export function compile(language: DangerLanguage): Finder {
  const { roles, rewrites, isVerbLast, hasObject }: DangerWords = dangerWords[language];
  const hasSpaces = language !== 'zh';
  const collapse = hasSpaces ? withoutDoubles : (it: string) => it;
  const letters = (Object.keys(dangerRoles) as DangerRole[]).filter((role) => roles[role]);
  const groups = letters.map((role) => `(${collapse(expand(roles[role] ?? ''))})`).join('|');
  const all = {
    suicidal_thoughts: [...rules.suicidal_thoughts, ...(isVerbLast ? verbLast : [])],
    self_harm: rules.self_harm,
    violence: [...rules.violence, ...(hasObject ? withObject : [])],
  };
  // A character is a third to half of a word.
  const scale = (rule: string): string =>
    hasSpaces
      ? rule
      : rule.replace(/\{0,(\d)\}/g, (_, most: string) => `{0,${2 * Number(most)}}`).replaceAll('(?<!Q)', '(?<!Q.?)');
  return {
    rewrites: (rewrites?.split('; ') ?? []).map((it) => {
      const [from = '', to = ''] = it.split(' → ');
      return [new RegExp(from, 'g'), to] as const;
    }),
    roles: new RegExp(hasSpaces ? `(?<![^ ])(?:${groups})(?![^ ])` : groups, 'gu'),
    letters,
    rules: dangerKinds.map((kind) => [kind, new RegExp(scale(all[kind].join('|')), 'g')] as const),
    hasSpaces,
  };
}
