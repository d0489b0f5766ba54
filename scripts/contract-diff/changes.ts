/** Who writes the value: the client (it may not be asked for more) or the service (it may not say less or other). */
export type Direction = 'request' | 'answer';

/** `breaking` is forbidden within a version; `addition` belongs into the changelog. */
export type Verdict = 'breaking' | 'addition';

export interface Change {
  readonly verdict: Verdict;
  /** Where in the contract: an operation and what follows, or the component that holds it. */
  readonly at: string;
  readonly message: string;
  /** Operations that are concerned, as in `POST /v1/ingest`; empty for behaviour that belongs to none. */
  readonly operations: readonly string[];
}

/** Collects changes; one of a component is told once, with every operation that it concerns. */
export class Changes {
  readonly #changes = new Map<string, Change & { operations: string[] }>();
  #operation = '';

  /** From here on changes concern this operation. */
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

/** A part of an OpenAPI document of which nothing is known yet. */
export type Part = Readonly<Record<string, unknown>>;

/** A part with its `$ref`s followed, and the name of its place. */
export interface Placed {
  readonly part: Part;
  readonly at: string;
}

export function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));
}

/** The entries of an object; none where there is no object. */
export function entries(part: unknown): Array<[string, Part]> {
  return Object.entries((part ?? {}) as Record<string, Part>);
}

/** Follows `$ref`s within the document; the place is then that of the component. */
export function follow(document: Part, part: unknown, at: string): Placed {
  const { $ref } = (part ?? {}) as { $ref?: string };
  if ($ref === undefined) return { part: (part ?? {}) as Part, at };
  const steps = $ref.slice(2).split('/');
  const found = steps.reduce<unknown>((it, step) => (it as Part | undefined)?.[step], document);
  if (found === undefined) throw new Error(`${$ref} leads nowhere`);
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
