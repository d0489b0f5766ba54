import { hash } from 'node:crypto';
import { enums } from '../../../generated/spec.js';
import { topicNames } from '../../domain/topics/vocabulary.js';

const codeCharacters = 3;

/** Stays what it is however the list of names grows, and in whatever order it is put. */
const codeOf = (name: string): string => hash('sha256', name, 'base64url').slice(0, codeCharacters);

/**
 * How lists of names out of `all` are stored: as the codes of these, one after the other. What is not, or no longer, among
 * them is left out.
 */
function packerOf<Name extends string>(all: readonly Name[]) {
  const codes = new Map<string, string>(all.map((name) => [name, codeOf(name)]));
  const names = new Map(all.map((name) => [codeOf(name), name]));
  if (names.size < all.length) throw new Error(`two of these names share a code, rename one: ${all.join(', ')}`);
  return {
    pack(list: readonly string[]): string {
      let text = '';
      for (const name of list) text += codes.get(name) ?? '';
      return text;
    },

    unpack(text: string): Name[] {
      const list: Name[] = [];
      for (let at = 0; at < text.length; at += codeCharacters) {
        const name = names.get(text.slice(at, at + codeCharacters));
        if (name !== undefined) list.push(name);
      }
      return list;
    },
  };
}

export const topics = packerOf(topicNames);
export const categories = packerOf(enums.SignalCategory);
