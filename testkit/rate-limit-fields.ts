import { expect } from 'vitest';

const item = /^"([a-z-]+)"((?:;[a-z]+=\d{1,15})*)$/;

/**
 * Parses a RateLimit or RateLimit-Policy field into its items by policy. Throws unless it is a list of structured
 * items.
 */
export function readItems(field: string | null): Record<string, Record<string, number>> {
  if (field === null) return {};
  const items = field.split(', ').map((text) => {
    const [, policy = '', parameters = ''] = item.exec(text) ?? [];
    expect(policy, `a structured field item: ${text}`).not.toBe('');
    const pairs = parameters.split(';').filter(Boolean);
    return [
      policy,
      Object.fromEntries(pairs.map((pair) => pair.split('=')).map(([name, value]) => [name, Number(value)])),
    ];
  });
  return Object.fromEntries(items);
}

/** Returns the limits in a response. `left` is `{}` if no limit applies. */
export function readFields({ headers }: { readonly headers: Headers }) {
  return { quotas: readItems(headers.get('ratelimit-policy')), left: readItems(headers.get('ratelimit')) };
}
