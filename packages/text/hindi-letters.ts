/** Letters of Devanagari and how people write them in Latin letters. */
const consonants: Readonly<Record<string, string>> = {
  ...{ क: 'k', ख: 'kh', ग: 'g', घ: 'gh', ङ: 'n', च: 'ch', छ: 'chh', ज: 'j', झ: 'jh', ञ: 'n', ट: 't', ठ: 'th', ड: 'd' },
  ...{ ढ: 'dh', ण: 'n', त: 't', थ: 'th', द: 'd', ध: 'dh', न: 'n', प: 'p', फ: 'f', ब: 'b', भ: 'bh', म: 'm', य: 'y' },
  ...{ र: 'r', ल: 'l', व: 'v', श: 'sh', ष: 'sh', स: 's', ह: 'h' },
};
const vowels: Readonly<Record<string, string>> = {
  ...{ अ: 'a', आ: 'a', इ: 'i', ई: 'i', उ: 'u', ऊ: 'u', ए: 'e', ऐ: 'ai', ओ: 'o', औ: 'au', ऋ: 'ri', ऑ: 'o' },
  ...{ 'ा': 'a', 'ि': 'i', 'ी': 'i', 'ु': 'u', 'ू': 'u', 'े': 'e', 'ै': 'ai', 'ो': 'o', 'ौ': 'au', 'ृ': 'ri', 'ॉ': 'o' },
};
const NASAL = /[ंँ]/;
const JOINER = '्';
const DOT_BELOW = '़';

/**
 * Returns a text in which words in Devanagari are written in Latin letters, as in chats: मैं मरना चाहता हूँ becomes "main marna
 * chahta hun". Other characters stay. Linear in the length.
 */
export function toLatinHindi(text: string): string {
  return text.normalize('NFD').replace(/[\p{Script=Devanagari}]+/gu, writeWord);
}

function writeWord(word: string): string {
  const letters = [...word].filter((it) => it !== DOT_BELOW);
  const written = letters.map((letter, i) => {
    const consonant = consonants[letter];
    if (consonant === undefined) return vowels[letter] ?? (NASAL.test(letter) ? 'n' : '');
    const next = letters[i + 1] ?? JOINER;
    // A vowel that is not written stands for "a", except at the end of the word.
    return consonant + (next === JOINER || next in vowels ? '' : '~');
  });
  // The same vowel between two syllables is silent: "marna", not "marana".
  return written
    .join('')
    .replace(/(?<=[aeiou~][^aeiou~]h{0,2})~(?=[^aeiou~]h{0,2}[aeiou])/g, '')
    .replaceAll('~', 'a');
}
