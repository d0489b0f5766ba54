import contract from '../../generated/openapi.json' with { type: 'json' };

/** The root of a tool's schema in the format that the protocol requires. */
export interface JsonSchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

type Part = Readonly<Record<string, unknown>>;
interface Media {
  readonly content: { readonly 'application/json': { readonly schema: Part } };
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly Part[];
  readonly requestBody?: Media;
  readonly responses: Readonly<Record<string, Media>>;
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Part;
}

/** How much of the descriptions a schema contains. Every word of a tool's schema uses the agent's context. */
export type Descriptions = 'first sentence' | 'none';

/** Keywords that are only used by the contract and its documentation. */
const dropped = ['example', 'examples'];

/** Returns a schema of the contract as JSON Schema. Replaces every `$ref` by its target. */
export function inlined(schema: Part, descriptions: Descriptions): JsonSchema {
  return convert(schema, descriptions) as JsonSchema;
}

/** Returns the query and path parameters of an operation as one object. */
export function parametersOf(operation: OperationObject): JsonSchema {
  const parameters = parameterList(operation);
  const properties = parameters.map(({ name, schema, description }) => {
    const own = convert({ ...follow(schema), description }, 'first sentence');
    return [name, own];
  });
  const required = parameters.filter((it) => it.required).map(({ name }) => name);
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** Returns the query and path parameters of an operation. */
export function parameterList({ parameters = [] }: OperationObject): ParameterObject[] {
  return parameters.map((it) => follow(it) as unknown as ParameterObject).filter((it) => it.in !== 'header');
}

function convert(part: unknown, descriptions: Descriptions): unknown {
  if (Array.isArray(part)) return part.map((it) => convert(it, descriptions));
  if (typeof part !== 'object' || part === null) return part;
  const { nullable, ...schema } = follow(part as Part);
  const kept = Object.entries(schema).filter(([name]) => !dropped.includes(name) && !name.startsWith('x-'));
  const converted = Object.fromEntries(
    kept.flatMap(([name, value]) => {
      if (name === 'description' && typeof value === 'string')
        return descriptions === 'none' ? [] : [[name, firstSentence(value)]];
      return [[name, convert(value, descriptions)]];
    }),
  );
  // A list of types is valid too, but some clients support a single type only.
  return nullable === true ? { anyOf: [converted, { type: 'null' }] } : converted;
}

function firstSentence(text: string): string {
  return text.trim().split(/(?<=\.)\s/)[0] ?? '';
}

function follow(part: Part): Part {
  if (typeof part['$ref'] !== 'string') return part;
  const steps = part['$ref'].slice(2).split('/');
  return follow(steps.reduce<unknown>((at, step) => (at as Part)[step], contract) as Part);
}
