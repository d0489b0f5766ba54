export interface Reference {
  readonly $ref: string;
}

/** Resolves a local `$ref`, e.g. `#/components/responses/Unavailable`, including nested references. */
export function resolve<T extends object>(contract: object, node: Reference | T | undefined): T {
  if (node === undefined) throw new Error('a $ref of the contract has no target');
  if (!isReference(node)) return node;
  const steps = node.$ref.slice(2).split('/');
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], contract);
  return resolve(contract, target as Reference | T | undefined);
}

function isReference(node: object): node is Reference {
  return typeof (node as Partial<Reference>).$ref === 'string';
}
