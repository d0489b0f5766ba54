import type { Findings } from './findings.js';

/** Whether a segment only greets, thanks, fills, or denies a feeling ("I'm not stressed right now"). */
export function isSmallTalk({ from, to, entries, denied, hits }: Findings): boolean {
  if (hits.length > 0) return false;
  for (let i = 0; i < to - from; i++) if (!entries[i]?.isFiller && denied[i] === 0) return false;
  return true;
}
