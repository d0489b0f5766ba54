/** Converts the schemas of the contract to Python types: a TypedDict per object, a Literal per enumeration. */

/** The part of a schema that a Python type expresses. */
export interface PythonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly nullable?: boolean;
  readonly items?: PythonSchema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, PythonSchema>>;
  readonly additionalProperties?: boolean | PythonSchema;
  readonly $ref?: string;
}

const widthMax = 120;
/** Keywords of Python among the names of the contract. A class cannot have a field with such a name. */
const keywords = ['from'];
const primitives: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  object: 'dict[str, object]',
};

/**
 * Returns a module with a type per object, enumeration and map. `renamed` gives some of them another name. Every type
 * comes after the types that it uses, so that no annotation is a string: `__required_keys__` is then correct at run time.
 */
export function pythonTypes(
  schemas: Readonly<Record<string, PythonSchema>>,
  renamed: Readonly<Record<string, string>>,
): string {
  const nameOf = (schema: string) => renamed[schema] ?? schema;
  const typeOf = (schema: PythonSchema): string => {
    const type = schema.$ref ? referenced(targetOf(schema.$ref)) : inlineType(schema);
    return schema.nullable === true ? `${type} | None` : type;
  };
  const referenced = (name: string): string => (isNamed(schemas[name]) ? nameOf(name) : typeOf(schemas[name] ?? {}));
  const inlineType = ({ type = '', items, enum: values, additionalProperties }: PythonSchema): string => {
    if (values) return literal(values);
    if (items) return `list[${typeOf(items)}]`;
    if (typeof additionalProperties === 'object') return `dict[str, ${typeOf(additionalProperties)}]`;
    return primitives[type] ?? 'object';
  };
  /** A named type has its own description. */
  const described = ({ $ref, description }: PythonSchema): string | undefined => {
    const target = schemas[targetOf($ref ?? '')];
    return isNamed(target) ? undefined : (target?.description ?? description);
  };
  const definition = (name: string, schema: PythonSchema): string => {
    if (!schema.properties) return `${comment(schema.description, '')}${nameOf(name)} = ${inlineType(schema)}`;
    const properties = Object.entries(schema.properties);
    const isClass = !properties.some(([field]) => keywords.includes(field));
    const indent = isClass ? '    ' : '        ';
    const fields = properties.map(([field, it]) => {
      const given = typeOf(it).replaceAll('\n', `\n${indent}`);
      const type = schema.required?.includes(field) ? given : `NotRequired[${given}]`;
      return `${comment(described(it), indent)}${indent}${isClass ? `${field}: ${type}` : `"${field}": ${type},`}`;
    });
    if (!isClass)
      return `${comment(schema.description, '')}${nameOf(name)} = TypedDict(\n    "${nameOf(name)}",\n    {\n${fields.join('\n')}\n    },\n)`;
    return `class ${nameOf(name)}(TypedDict):\n    """${firstSentence(schema.description)}"""\n\n${fields.join('\n')}`;
  };
  const ordered = inOrderOfUse(schemas).filter((name) => isNamed(schemas[name]));
  const definitions = ordered.map((name) => definition(name, schemas[name] ?? {}));
  return `from typing import Literal, NotRequired, TypedDict\n\n${definitions.join('\n\n')}\n`.replaceAll(
    /\n\n(?=class |# |[A-Z]\w* = )/g,
    '\n\n\n',
  );
}

/** Returns constants of the client, e.g. `BODY_MAX_BYTES = 4096`. */
export function pythonConstants(values: Readonly<Record<string, number>>): string {
  return `${Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')}\n`;
}

/** A plain string or number has no type of its own. */
function isNamed(schema: PythonSchema | undefined): boolean {
  return schema?.properties !== undefined || schema?.enum !== undefined || schema?.type === 'object';
}

function literal(values: readonly string[]): string {
  const type = `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (type.length < widthMax - 24) return type;
  return `Literal[\n${values.map((value) => `    ${JSON.stringify(value)},\n`).join('')}]`;
}

/** Returns the names so that each comes after those it references. */
function inOrderOfUse(schemas: Readonly<Record<string, PythonSchema>>): string[] {
  const ordered = new Set<string>();
  const visit = (name: string): void => {
    if (ordered.has(name)) return;
    for (const target of referencesOf(schemas[name])) visit(target);
    ordered.add(name);
  };
  for (const name of Object.keys(schemas)) visit(name);
  return [...ordered];
}

function referencesOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  if ('$ref' in part && typeof part.$ref === 'string') return [targetOf(part.$ref)];
  return Object.values(part).flatMap(referencesOf);
}

function targetOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

/** Returns the first sentence of a description as comment lines. */
function comment(description: string | undefined, indent: string): string {
  if (!description) return '';
  return wrap(firstSentence(description), widthMax - indent.length - 2)
    .map((line) => `${indent}# ${line}\n`)
    .join('');
}

function firstSentence(description = ''): string {
  const text = description.replaceAll(/\s+/g, ' ').trim();
  return text.split(/(?<=\.)\s(?=[A-Z])/)[0] ?? text;
}

/** Returns the lines of a text. A word longer than the width has its own line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
