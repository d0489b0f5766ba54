import MiniSearch, { type Query, type SearchResult } from 'minisearch';
import type { SearchEntry } from '../search-entries.js';
import { findSynonyms } from './synonyms.js';

export type Found = Pick<SearchResult, 'score'> & SearchEntry;

export interface Index {
  /** Returns the entries for a question or words, best first. */
  readonly find: (text: string) => Found[];
}

/** Words of questions that every page contains. */
const stopWords = new Set(
  (
    'a an and are as at be by can do does for from get has have how i if in is it me mean means my no not of on or so ' +
    'that the their there this to was what when where which who why will with you your'
  ).split(' '),
);

/** A result of which some words are absent requires this share of the best score. */
const shareMin = 0.2;

/**
 * Returns the index of the entries. Results with every word come first. Results with some words follow, ranked by the
 * number and rarity of the words.
 */
export function createIndex(entries: readonly SearchEntry[]): Index {
  const index = new MiniSearch<SearchEntry>({
    fields: ['title', 'text', 'place', 'asked'],
    storeFields: ['title', 'text', 'place', 'href', 'weight'],
    searchOptions: {
      ...{ prefix: (term) => term.length > 2, fuzzy: (term) => (term.length > 4 ? 0.15 : false) },
      boost: { title: 4, place: 2, asked: 6 },
      weights: { fuzzy: 0.2, prefix: 0.5 },
    },
  });
  index.addAll(entries);
  const search = (query: Query, boosts: boolean) =>
    index.search(query, {
      boostDocument: (_id, _term, stored) => (boosts ? Number(stored?.['weight'] ?? 1) : 1),
    }) as unknown as Found[];
  return {
    find(text) {
      const words = splitWords(text);
      if (words.length === 0) return [];
      const queries = words.map((word): Query => ({ combineWith: 'OR', queries: [word, ...findSynonyms(word)] }));
      const complete = search({ combineWith: 'AND', queries }, true);
      if (words.length === 1) return complete;
      const known = new Set(complete.map((it) => it.id));
      const partial = search({ combineWith: 'OR', queries }, false).filter((it) => !known.has(it.id));
      const best = partial[0]?.score ?? 0;
      return [...complete, ...partial.filter((it) => it.score > shareMin * best)];
    },
  };
}

/** Returns the words of a text without those of every question, or all words if there are no others. */
function splitWords(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}_./{}-]+/u)
    .map((it) => it.replaceAll(/^[./-]+|[./-]+$/g, ''))
    .filter(Boolean);
  const telling = words.filter((it) => !stopWords.has(it));
  return telling.length > 0 ? telling : words;
}
