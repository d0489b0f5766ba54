import document from '../../generated/openapi.json' with { type: 'json' };

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly example?: unknown;
  readonly 'x-unit'?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Example {
  readonly name: string;
  readonly summary: string;
  readonly value: unknown;
}

export interface Body {
  readonly mediaType: string;
  readonly schema: Schema;
  readonly examples: readonly Example[];
}

export interface Answer {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly { readonly name: string; readonly description: string }[];
  readonly body: Body | undefined;
}

export interface Operation {
  readonly id: string;
  /** Path of the operation. Undefined for an event, because the receiver chooses its own URL. */
  readonly path: string | undefined;
  readonly method: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly needsKey: boolean;
  /** The scope that the key requires. Absent if the operation requires no key. */
  readonly scope: string | undefined;
  readonly parameters: readonly Parameter[];
  /** Parameters of which a request has at most one, or exactly one. */
  readonly exclusive?: { readonly names: readonly string[]; readonly required?: boolean } | undefined;
  readonly requestDescription: string | undefined;
  readonly request: Body | undefined;
  /** The request body in each media type. `request` is the first one. */
  readonly bodies: readonly Body[];
  readonly answers: readonly Answer[];
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

type Node = { readonly $ref?: string } & Readonly<Record<string, unknown>>;
type Named = Readonly<Record<string, Node>>;

/** The contract as data. Used for parts that the documentation shows unchanged. */
export const contract = document as unknown as Node & {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: { readonly url: string };
  };
  readonly tags: readonly Tag[];
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** The operations in the order of the contract. Each operation is followed by the events that it causes. */
export const operations: readonly Operation[] = Object.entries(
  document.paths as unknown as Record<string, Named>,
).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, node]) => [readOperation(node, method, path), ...listEvents(node)]),
);

/** Returns the folder of a tag's page below that of the reference, e.g. `trigger-memory`. */
export function tagSlug(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

/** Returns the address of an operation, relative to the root of the site. */
export function operationHref({ tag, id }: Operation): string {
  return `reference/${tagSlug(tag)}/#${id}`;
}

/** Follows a local `$ref`. */
export function resolve<T extends { readonly $ref?: string }>(node: T): T {
  if (node.$ref === undefined) return node;
  const steps = node.$ref.slice(2).split('/');
  return resolve(steps.reduce<unknown>((at, step) => (at as Node)[step], document) as T);
}

/** Returns the name of a referenced schema, e.g. `Tone`. Undefined for an inline schema. */
export function readName({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

function listEvents(node: Node): Operation[] {
  const callbacks = Object.values((node['callbacks'] ?? {}) as Record<string, Record<string, Named>>);
  return callbacks.flatMap((urls) =>
    Object.values(urls).flatMap((methods) => Object.values(methods).map((it) => readOperation(it, 'event', undefined))),
  );
}

function readOperation(node: Node, method: string, path: string | undefined): Operation {
  const request = node['requestBody'] as Node | undefined;
  return {
    id: String(node['operationId']),
    path,
    method: method.toUpperCase(),
    tag: (node['tags'] as string[])[0] ?? '',
    summary: String(node['summary']),
    description: String(node['description']),
    scope: node['x-scope'] as string | undefined,
    needsKey: (node['security'] as unknown[] | undefined)?.length !== 0,
    exclusive: node['x-exclusive-parameters'] as Operation['exclusive'],
    parameters: ((node['parameters'] ?? []) as Node[]).map((it) => resolve(it) as unknown as Parameter),
    requestDescription: request && String(request['description']),
    request: listBodies(request)[0],
    bodies: listBodies(request),
    answers: Object.entries(node['responses'] as Named).map(([status, it]) => readAnswer(status, resolve(it))),
  };
}

function readAnswer(status: string, node: Node): Answer {
  const headers = Object.entries((node['headers'] ?? {}) as Named);
  return {
    status,
    description: String(node['description']),
    headers: headers.map(([name, it]) => ({ name, description: String(resolve(it)['description']) })),
    body: listBodies(node)[0],
  };
}

function listBodies(node: Node | undefined): Body[] {
  return Object.entries((node?.['content'] ?? {}) as Named).map(([mediaType, { schema, examples = {} }]) => ({
    mediaType,
    schema: schema as Schema,
    examples: Object.entries(examples as Named).map(readExample),
  }));
}

function readExample([name, node]: [string, Node]): Example {
  const { summary, value } = resolve(node);
  return { name, summary: String(summary), value };
}
