import { operations } from '../../testkit/documented-requests.js';

export interface FieldRequest {
  /** Operation, location and value, e.g. `/webhooks/retries /delivery_ids/0 "é"`. */
  readonly name: string;
  readonly path: string;
  readonly body: unknown;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Values that a schema may accept but a database may reject: non-ASCII texts, odd lengths, odd types and nesting. */
const hostileValues: readonly Json[] = [
  'é',
  'ﬀ',
  '\u0000',
  '\u202Eevil',
  '𝕳𝖊𝖑𝖑𝖔',
  '\ud800',
  '👨‍👩‍👧‍👦'.repeat(6),
  ' ',
  '',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(2_000),
  "' or 1=1 -- ",
  "\\'",
  '%_',
  'https://example.com/é?\u0001',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  null,
  true,
  -1,
  1e308,
  [],
  ['é'],
  [[['é']]],
  { é: ['é'] },
];

/**
 * Returns variants of each documented example of every operation with a body. In each variant, one field or array item
 * is replaced by one value.
 */
export function fieldRequests(nowText: string): FieldRequest[] {
  const posts = operations.filter(({ method }) => method === 'POST');
  return posts.flatMap(({ path = '', request }) => {
    // The readings of a batch are tested as bodies of single readings, and as lines in lines.test.ts.
    const examples = (request?.examples ?? []).filter(({ value }) => !Array.isArray(value));
    return examples.flatMap(({ value }) => {
      const example = value as { readonly [name: string]: Json };
      const valid = 'timestamp' in example ? { ...example, timestamp: nowText } : example;
      return placesOf(valid).flatMap((place) =>
        hostileValues.map((value) => {
          const name = `${path} /${place.join('/')} ${JSON.stringify(value)}`;
          return { name, path, body: replaced(valid, place, value) };
        }),
      );
    });
  });
}

/** Returns the paths of every field and array item, and of the position after the last item. */
function placesOf(value: Json): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Array.isArray(value) ? [...value.keys(), value.length].map(String) : Object.keys(value);
  const inside = (name: string) => placesOf((value as { readonly [name: string]: Json })[name] ?? null);
  return names.flatMap((name) => [[name], ...inside(name).map((rest) => [name, ...rest])]);
}

function replaced(value: Json, [name, ...rest]: readonly string[], by: Json): Json {
  if (name === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, Json>;
  copy[name] = replaced(copy[name] ?? null, rest, by);
  return copy;
}
