/**
 * Direction of a value. For a `request`, new requirements are breaking. For an `answer`, removals and new types are
 * breaking.
 */
export type Direction = 'request' | 'answer';

/** A `breaking` change is forbidden within a version. An `addition` must be listed in the changelog. */
export type Verdict = 'breaking' | 'addition';

export interface Change {
  readonly verdict: Verdict;
  /** Place in the contract: an operation and a path within it, or a component. */
  readonly at: string;
  readonly message: string;
  /** Affected operations, e.g. `POST /v1/ingest`. Empty for behavior outside of operations. */
  readonly operations: readonly string[];
}

/** Collects changes. Reports a change of a component once, with all affected operations. */
export class Changes {
  readonly #changes = new Map<string, Change & { operations: string[] }>();
  #operation = '';

  /** Sets the operation that further changes affect. */
  enter(operation: string): void {
    this.#operation = operation;
  }

  add(verdict: Verdict, at: string, message: string): void {
    const key = `${verdict} ${at} ${message}`;
    const change = this.#changes.get(key) ?? { verdict, at, message, operations: [] };
    if (this.#operation && !change.operations.includes(this.#operation)) change.operations.push(this.#operation);
    this.#changes.set(key, change);
  }

  all(): Change[] {
    return [...this.#changes.values()];
  }
}

/** An unvalidated part of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

/** A part with its `$ref` resolved, and the name of its place. */
export interface Placed {
  readonly part: Part;
  readonly at: string;
}

export function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
}

/** Returns the entries of an object. Returns no entries for any other value. */
export function entries(part: unknown): Array<[string, Part]> {
  return Object.entries((part ?? {}) as Record<string, Part>);
}

/** Resolves a `$ref` within the document. The place becomes the place of the component. */
export function follow(document: Part, part: unknown, at: string): Placed {
  const { $ref } = (part ?? {}) as { $ref?: string };
  if ($ref === undefined) return { part: (part ?? {}) as Part, at };
  const steps = $ref.slice(2).split('/');
  const found = steps.reduce<unknown>((it, step) => (it as Part | undefined)?.[step], document);
  if (found === undefined) throw new Error(`${$ref} does not exist`);
  return follow(document, found, $ref);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, it]) => [name, sorted(it)]),
  );
}
