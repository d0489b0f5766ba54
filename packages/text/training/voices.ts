import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SafetyKind } from '../safety.js';

/** A message that a voice wrote: one person of one brief. */
export interface VoiceLine {
  readonly text: string;
  /** Number of the brief. */
  readonly voice: string;
  /** Kind of danger or look-alike, e.g. `overdose`, `glad_partner`. */
  readonly kind: string;
  /** How the person writes, e.g. `plain`, `dialect`. */
  readonly register: string;
  readonly danger: SafetyKind | 'none';
}

/** The kinds of the briefs that describe a danger. All others describe none. */
const dangerByKind: Readonly<Record<string, SafetyKind>> = {
  overdose: 'suicidal_thoughts',
  means: 'suicidal_thoughts',
  in_act: 'suicidal_thoughts',
  plan: 'suicidal_thoughts',
  goodbye: 'suicidal_thoughts',
  self_harm: 'self_harm',
  eating: 'self_harm',
  assault: 'violence',
  partner: 'violence',
  parent: 'violence',
  carer: 'violence',
  stalking: 'violence',
  extortion: 'violence',
  trafficking: 'violence',
  // Each of these sentences is about another person who hurts a child or an elder.
  young_or_old: 'violence',
};
/** Kinds without distress of the speaker. The others may worry, or tell of hard work. */
const calmKinds = /^(glad_|sport|game|food|film|song|idiom|medicine$)/;
const folder = fileURLToPath(new URL('texts/voices', import.meta.url));

/** Reads the lines of a part. Only `train` is for training. Nobody reads the texts of `final`. */
export function readVoices(part: 'train' | 'choice' | 'final'): VoiceLine[] {
  const files = readdirSync(join(folder, part)).sort();
  return files.flatMap((file) => {
    const lines = readFileSync(join(folder, part, file), 'utf8')
      .split('\n')
      .filter(Boolean);
    return lines.map((line): VoiceLine => {
      const { text, kind, register } = JSON.parse(line) as Pick<VoiceLine, 'text' | 'kind' | 'register'>;
      return { ...{ text, kind, register }, voice: basename(file, '.jsonl'), danger: dangerByKind[kind] ?? 'none' };
    });
  });
}

/** Returns true for a line whose speaker is not distressed. */
export const isCalm = ({ kind }: VoiceLine): boolean => calmKinds.test(kind);
