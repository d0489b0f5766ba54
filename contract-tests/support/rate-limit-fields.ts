import { expect } from 'vitest';

const item = /^"([a-z-]+)"((?:;[a-z]+=\d{1,15})*)$/;

/** The items of a RateLimit or RateLimit-Policy field by policy; fails where it is no list of structured items. */
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

/** What an answer says about limits; `left` is `{}` where none applies. */
export function readFields({ headers }: { readonly headers: Headers }) {
  return { quotas: readItems(headers.get('ratelimit-policy')), left: readItems(headers.get('ratelimit')) };
}
