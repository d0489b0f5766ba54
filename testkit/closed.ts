/**
 * Returns a copy of the contract whose objects allow no undocumented field.
 *
 * Published response schemas are open, so that clients accept fields of newer services. Tests use the closed copy to
 * check that the service sends only documented fields.
 */
export function closed<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(closed) as Part;
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, closed(inner)]));
  const isFixedObject = copy['type'] === 'object' && copy['properties'] !== undefined;
  return { ...(isFixedObject && { additionalProperties: false }), ...copy } as Part;
}
