import { hash } from 'node:crypto';

type Contract = Readonly<Record<string, unknown>>;

/** The constants that determine a score. */
const constantNames = ['x-stress-model', 'x-state-hold', 'x-rr-intervals'] as const;

/** Returns the SHA-256 of the constants of the score, in hex. Comments and the order of the constants have no effect. */
export function digestModel(contract: Contract): string {
  return hash('sha256', JSON.stringify(constantNames.map((name) => sorted(contract[name]))));
}

/** Returns what to do if the constants of the score changed without their digest. Undefined if the digest is correct. */
export function checkModelVersion(contract: Contract): string | undefined {
  const { number, constants_sha256: recorded } = contract['x-model-version'] as Contract;
  const digest = digestModel(contract);
  if (recorded === digest) return undefined;
  return `the constants of the score changed. Set x-model-version.constants_sha256 to ${digest}. If version ${String(number)} is released, raise x-model-version.number first. Add the effect on the published figures to "Score versions" in CHANGELOG.md.`;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, it]) => [key, sorted(it)]));
}
