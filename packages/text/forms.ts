import type { Words } from './tokens.js';

/**
 * Word forms describe how a text is phrased, independent of its subject. The concern gate reads a sentence as a
 * sequence of forms. Each function word is a separate form. Other words have the form of their class or ending. If
 * several classes contain a word, the first class applies. The lists are chosen by judgment. Training determines the
 * weights.
 */
export const functionWords = (
  'i im ive id ill me my mine myself you your yours youre youve u ur he him his hes she her shes it its they them their ' +
  'theyre we us our were weve a an the this that these those there here some any all every each no nothing nobody none ' +
  'everyone everybody everything someone something anyone anything and or but so because if when while since until ' +
  'than as like of to in on at for from with by about into over after before without out up off down back away is are ' +
  'am was be been being isnt arent wasnt werent aint do does did dont doesnt didnt have has had havent hasnt hadnt ' +
  'can could cant cannot couldnt will would wont wouldnt should shouldnt may might must gonna wanna gotta lets let not ' +
  'never always still just really very too much many more most even only again already yet ever now then lately ' +
  'anymore what whats how hows why when where who which whose please thanks thank sorry hi hey hello yes yeah ok okay ' +
  'lol haha wow oh get got getting go going feel feels feeling felt keep keeps keeping know think need want wants make ' +
  'makes made try trying tried stop take see say said tell told love good great nice favorite'
).split(' ');

export const formClasses = {
  distress:
    'stressed stress stressful stressing anxious anxiety worry worried worries worrying nervous scared afraid fear fears panic panicking sad sadness depress* hopeless* worthless miserable unhappy upset lonely alone hurt hurts hurting guilty guilt asham* shame embarrass* angry anger mad furious annoy* irritat* frustrat* hate hated resent* overwhelm* exhaust* tired drained burnt burnout burned empty numb cry crying cried tears terrified dread* desperate helpless useless insecure jealous disappoint* devastated heartbroken miss missing suffer* sick ill pain painful ache* aching sore awful terrible horrible worst worse bad suck* sucks gutted knackered skint freaking freaked paranoid tense struggling struggle* cope coping nightmare* ruined ruin broke broken falling',
  difficulty:
    'hard difficult difficulty difficulties problem problems trouble issue issues unable fail failed failing fails failure lose losing lost loss mess messed fight fights fighting fought argue arguing argument* yell* cheat* lie* lied leave leaving left quit fired laid dumped divorce* died die dying death pressure debt* owe overdue bills afford behind late deadline* enough barely hardly bully* bullied abuse* abusive ignore* ignored ignoring rejected reject* breakup confus* unsure decide deciding',
  person:
    'mom mum mother moms dad father parents parent brother sister sisters brothers son daughter kids kid child children husband wife boyfriend girlfriend bf gf partner ex fiance* friend friends family grandma* grandpa* grandmother grandfather aunt uncle cousin* boss manager supervisor coworker* colleague* roommate* flatmate* landlord neighbo* teacher professor teammate* baby inlaw* stepdad stepmom bloke gaffer',
  life: 'job work working worked school college class classes exam exams test tests homework grades grade study studying finals money rent pay paycheck mortgage health body weight sleep sleeping sleepless doctor hospital surgery marriage relationship* life home house car future career therapy therapist medication meds virus covid pandemic',
  duration:
    'day days week weeks month months year years night nights morning mornings today tonight tomorrow yesterday constantly forever recently times time hours',
  media:
    'movie* film* song* music album* band show* series episode season game games team* player* coach nfl nba football basketball baseball soccer book* novel author actor* actress* star wars marvel concert guitar podcast league fan fans goal score quarterback',
  document:
    'list sentence sentences word words text paragraph essay story poem email letter article review code function program example examples following given output input question questions answer answers summary title headline recipe number numbers table column date dates phrase topic tweet',
  device:
    'alarm timer reminder playlist calendar account card balance reservation flight app phone password order parcel website volume screen laptop insurance credit bank transaction* appointment meeting',
  instruction:
    'write give show set play find translate explain describe create generate name add call send turn change remind cancel check schedule transfer read search help classify rewrite summarize suggest convert identify compare design compose fix act pretend imagine provide use put open start pick choose',
  thought: 'wonder guess hope wish believe remember understand suppose heard hear saw watch watched',
} as const satisfies Record<string, string>;

export type FormClass = keyof typeof formClasses;

export const formClassNames = Object.keys(formClasses) as FormClass[];

/** Verbs that begin an instruction. Some are also in other lists, as function words or names of documents. */
export const openingVerbs = new Set(
  `${formClasses.instruction} make list text book order answer stop let tell take please`.split(' '),
);

/** Word endings that replace words without a word class. The first matching ending is used. */
export const endings = ['ing', 'ed', 'ly', 'tion', 'ness', 'ful', 'ous', 'able', 's'] as const;

/**
 * Numbers of the word forms, in this order: no form, other words, endings, digits, classes, function words, sentence
 * marks, a denied feeling.
 */
export const noForm = 0;
const otherWord = 1;
const firstEnding = 2;
const digits = firstEnding + endings.length;
const firstClass = digits + 1;
const firstFunctionWord = firstClass + formClassNames.length;
export const sentenceStart = firstFunctionWord + functionWords.length;
export const fullStop = sentenceStart + 1;
export const questionMark = sentenceStart + 2;
/** A feeling that a negation denies ("not worried"). */
export const deniedFeeling = sentenceStart + 3;

/**
 * Bits of a word's forms. The lowest bits are the form classes, in order. The object contains only the bits that code
 * refers to.
 */
export const formBits = {
  person: 1 << formClassNames.indexOf('person'),
  life: 1 << formClassNames.indexOf('life'),
  opensInstruction: 1 << formClassNames.length,
  firstPerson: 2 << formClassNames.length,
  my: 4 << formClassNames.length,
} as const;

/** Minimum number of letters before an ending. */
const STEM_LETTERS_MIN = 3;

const firstPersonWords = new Set(['i', 'im', 'ive', 'id', 'ill', 'me', 'my', 'myself']);
const numberOfFunctionWord = new Map(functionWords.map((word, i) => [word, firstFunctionWord + i]));
const items = formClassNames.map((name) => createCover(formClasses[name].split(' ')));

/** Compiles the forms and bits of the known words, then of the stems. The first entry is for an unknown word. */
export function compileForms(words: readonly string[], stems: readonly string[]) {
  const entries = [undefined, ...words, ...stems.map((stem) => `${stem}*`)].map(toEntry);
  return {
    forms: Uint16Array.from(entries, ({ form }) => form),
    formBits: Uint16Array.from(entries, ({ bits }) => bits),
  };
}

function toEntry(item: string | undefined): { form: number; bits: number } {
  if (item === undefined) return { form: noForm, bits: 0 };
  const classes = items.flatMap((covers, id) => (covers(item) ? [id] : []));
  const byClass = classes[0] === undefined ? findKnownForm(item) : firstClass + classes[0];
  const bits =
    classes.reduce((sum, id) => sum | (1 << id), 0) |
    (openingVerbs.has(item) ? formBits.opensInstruction : 0) |
    (firstPersonWords.has(item) ? formBits.firstPerson : 0) |
    (item === 'my' ? formBits.my : 0);
  return { form: numberOfFunctionWord.get(item) ?? byClass, bits };
}

/** Returns the form of a known word or stem. A stem has no form, because the ending of the full word decides. */
function findKnownForm(item: string): number {
  if (item.endsWith('*')) return noForm;
  const ending = endings.findIndex((it) => item.endsWith(it) && item.length >= it.length + STEM_LETTERS_MIN);
  return /^0/.test(item) ? digits : ending < 0 ? otherWord : firstEnding + ending;
}

/** Returns a function that tells if a list of words and stems covers a word or a longer `stem*`. */
function createCover(list: readonly string[]): (item: string) => boolean {
  const words = new Set(list);
  const stems = list.filter((it) => it.endsWith('*')).map((it) => it.slice(0, -1));
  return (item) => words.has(item) || stems.some((stem) => item.startsWith(stem));
}

const ZERO = 48;
const endingCodes = endings.map((ending) => Uint8Array.from(ending, (letter) => letter.charCodeAt(0)));

/** Returns the form of a word without a listed form, by its digits or ending. */
export function formByEnding({ letters, starts, ends }: Words, i: number): number {
  const start = starts[i] ?? 0;
  const end = ends[i] ?? 0;
  if (letters[start] === ZERO) return digits;
  for (let number = 0; number < endingCodes.length; number++) {
    const codes = endingCodes[number];
    if (codes && end - codes.length - start >= STEM_LETTERS_MIN && endsWith(letters, end, codes))
      return firstEnding + number;
  }
  return otherWord;
}

function endsWith(letters: Uint8Array, end: number, codes: Uint8Array): boolean {
  for (let k = 1; k <= codes.length; k++) if (letters[end - k] !== codes[codes.length - k]) return false;
  return true;
}
