import { readName, resolve, type Schema } from './contract.js';
import { type Html, html } from './html.js';
import { inline } from './markdown.js';

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string;
}

/** Request fields show whether they are required. Response fields show whether they may be absent. */
export type Side = 'asked' | 'answered';

/** Returns a list of fields. Nested fields are folded under their parent field. `at` is the prefix of the anchors. */
export function fieldList(fields: readonly Field[], at: string, side: Side): Html {
  return html`<dl class="fields">${fields.map((it) => fieldEntry(it, `${at}-${it.name}`, side))}</dl>`;
}

export function listFields(schema: Schema): Field[] {
  const { properties = {}, required = [] } = resolve(schema);
  return Object.entries(properties).map(([name, it]) => ({ name, schema: it, isRequired: required.includes(name) }));
}

function fieldEntry({ name, schema, isRequired, description }: Field, id: string, side: Side): Html {
  const resolved = resolve(schema);
  const text = description ?? resolved.description;
  const notes = [
    side === 'asked' && isRequired && html` <span class="required">required</span>`,
    side === 'answered' && !isRequired && html` <span class="hint">may be absent</span>`,
  ];
  const details = [
    text !== undefined && html`<p>${inline(text.trim())}</p>`,
    valueList(resolved),
    resolved.default !== undefined && html`<p class="values">Default <code>${String(resolved.default)}</code></p>`,
    inner(resolved, name, id, side),
  ];
  const type = html`<span class="hint">${describeType(schema)}</span>`;
  return html`<dt id="${id}"><a class="name" href="#${id}">${name}</a> ${type}${notes}</dt>
    <dd>${details}</dd>`;
}

/** Returns the fields of an object, or of the objects in a list or map. */
function inner(schema: Schema, name: string, id: string, side: Side): Html | undefined {
  const map = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  const held = schema.items ?? map ?? schema;
  const fields = listFields(held);
  if (fields.length === 0) return undefined;
  const each = held === schema ? '' : map ? ' of each value' : ' of each item';
  return html`<details class="inner">
    <summary class="hint">Fields${each} of <code>${name}</code></summary>
    ${fieldList(fields, id, side)}
  </details>`;
}

function valueList(schema: Schema): Html | undefined {
  const values = schema.enum ?? (schema.items && resolve(schema.items).enum);
  if (values === undefined) return undefined;
  return html`<p class="values">${values.map((it) => html`<code>${it}</code> `)}</p>`;
}

/** Returns type, unit and bounds as text. */
export function describeType(schema: Schema): string {
  const it = resolve(schema);
  const base = it.type === 'array' ? `list of ${listed(it.items ?? {})}` : (it.format ?? it.type ?? 'object');
  return [base + (it.nullable ? ' or null' : ''), it['x-unit'], describeBounds(it)].filter(Boolean).join(' · ');
}

function listed(items: Schema): string {
  return resolve(items).type === 'object' ? `${readName(items) ?? 'object'}s` : `${resolve(items).type}s`;
}

function describeBounds({ format, minimum, maximum, minLength, maxLength, minItems, maxItems }: Schema): string {
  if (maximum !== undefined) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  // Ignores the length of a value with a format, because the format limits the length.
  if (maxLength !== undefined && format === undefined)
    return `${minLength ?? 0} to ${maxLength.toLocaleString('en-US')} characters`;
  if (maxItems !== undefined) return minItems === undefined ? `at most ${maxItems}` : `${minItems} to ${maxItems}`;
  return '';
}
