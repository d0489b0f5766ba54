import { hash } from 'node:crypto';
import { modelVersion } from '../../generated/spec.js';
import { constantsDigest, rrIntervals, stateHold, stressModel } from '../../packages/score/model.js';

/** The constants that determine a score. */
export const scoreConstants = { stressModel, stateHold, rrIntervals };

/** Returns the SHA-256 of the constants of the score, in hex. Comments and the order of the constants have no effect. */
export function digestModel({
  stressModel,
  stateHold,
  rrIntervals,
}: Record<keyof typeof scoreConstants, unknown>): string {
  return hash('sha256', JSON.stringify([stressModel, stateHold, rrIntervals].map(sorted)));
}

/** Returns what to do if the constants of the score changed without their digest. Undefined if the digest is correct. */
export function checkModelVersion(constants: Record<keyof typeof scoreConstants, unknown>): string | undefined {
  const digest = digestModel(constants);
  if (constantsDigest === digest) return undefined;
  return `the constants of the score changed. Set constantsDigest in packages/score/model.ts to ${digest}. If version ${modelVersion.number} is released, raise x-model-version.number first. Add the effect on the published figures to "Score versions" in CHANGELOG.md.`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, it]) => [key, sorted(it)]));
}
