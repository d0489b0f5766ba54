import { type Changes, type Direction, entries, follow, isSame, type Part } from './changes.js';

/** The previous and the new document. */
export interface Documents {
  readonly before: Part;
  readonly after: Part;
}

const lowerBounds = ['minimum', 'minLength', 'minItems', 'minProperties'];
const upperBounds = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords whose values have no order. Only their presence is compared. */
const opaque = ['format', 'pattern', 'x-pattern', 'multipleOf', 'x-one-of-fields', 'x-required-with'];
/** Keywords that restrict a value when true. */
const demands = ['uniqueItems', 'exclusiveMinimum', 'exclusiveMaximum'];
const compositions = ['oneOf', 'anyOf', 'allOf', 'not', 'discriminator'];

/** Returns true if a new `not` requires a field that earlier requests could not contain. */
function concernsNewField(before: Part, { not }: Part): boolean {
  const known: unknown[] = entries(before['properties']).map(([name]) => name);
  const isNew = names((not as Part)?.['required']).some((it) => !known.includes(it));
  return isNew && before['not'] === undefined && before['additionalProperties'] === false;
}

/**
 * Returns true if a field that was required becomes exactly one of this field and new ones: every earlier request is still
 * valid.
 */
function addsChoice(before: Part, after: Part): boolean {
  if (before['x-one-of-fields'] !== undefined || before['additionalProperties'] !== false) return false;
  const known = entries(before['properties']).map(([name]) => name);
  const old = names(after['x-one-of-fields']).filter((it) => (known as unknown[]).includes(it));
  return old.length === 1 && names(before['required']).includes(old[0]);
}

/** Compares two schemas of a value that one side writes and the other reads. */
export class SchemaComparison {
  readonly #seen = new Set<string>();

  constructor(
    private readonly documents: Documents,
    private readonly changes: Changes,
    private readonly direction: Direction,
  ) {}

  compare(before: unknown, after: unknown, at: string): void {
    const old = follow(this.documents.before, before, at);
    const { part } = follow(this.documents.after, after, at);
    // Skips a schema that is already being compared, because schemas may be recursive. The schema is removed on return,
    // because operations share components.
    if (this.#seen.has(old.at)) return;
    this.#seen.add(old.at);
    if (old.part['type'] !== part['type'])
      this.breaks(old.at, `type was ${show(old.part['type'])}, is ${show(part['type'])}`);
    else this.compareKeywords(old.part, part, old.at);
    this.#seen.delete(old.at);
  }

  private compareKeywords(before: Part, after: Part, at: string): void {
    for (const name of lowerBounds) this.bound(before[name], after[name], at, name, 1);
    for (const name of upperBounds) this.bound(before[name], after[name], at, name, -1);
    for (const name of opaque)
      if (!(name === 'x-one-of-fields' && addsChoice(before, after)))
        this.opaqueValue(before[name], after[name], at, name);
    for (const name of demands) this.demand(before[name] === true, after[name] === true, at, name);
    // A value that must not be null is more restricted than a nullable value.
    this.demand(before['nullable'] !== true, after['nullable'] !== true, at, 'not nullable');
    for (const name of compositions)
      if (!isSame(before[name], after[name]) && !(name === 'not' && concernsNewField(before, after)))
        this.breaks(at, `${name} has changed, and is judged by no rule`);
    if (this.direction === 'request' && !isSame(before['default'], after['default']))
      this.breaks(at, `default was ${show(before['default'])}, is ${show(after['default'])}`);
    this.enumeration(before['enum'], after['enum'], at);
    this.properties(before, after, at);
    if (before['items'] && after['items']) this.compare(before['items'], after['items'], `${at}/items`);
    this.additional(before['additionalProperties'], after['additionalProperties'], at);
  }

  private properties(before: Part, after: Part, at: string): void {
    const old = new Map(entries(before['properties']));
    const now = new Map(entries(after['properties']));
    const wasRequired = (name: string) => names(before['required']).includes(name);
    const isRequired = (name: string) => names(after['required']).includes(name);
    for (const [name, schema] of old) {
      const place = `${at}/properties/${name}`;
      if (!now.has(name)) this.breaks(place, 'the field is gone');
      else {
        this.demand(wasRequired(name), isRequired(name), place, 'required');
        this.compare(schema, now.get(name), place);
      }
    }
    for (const name of [...now.keys()].filter((it) => !old.has(it))) {
      const place = `${at}/properties/${name}`;
      if (this.direction === 'request' && isRequired(name)) this.breaks(place, 'a new field is required of requests');
      else this.adds(place, `new ${isRequired(name) ? '' : 'optional '}field of ${this.direction}s`);
    }
  }

  private additional(before: unknown, after: unknown, at: string): void {
    const place = `${at}/additionalProperties`;
    if (typeof before === 'object' && typeof after === 'object') this.compare(before, after, place);
    // This keyword never breaks a client in a response, because responses may gain fields.
    else if (this.direction === 'request')
      this.demand(before === false, after === false, at, 'no other fields than those named');
    else if (isSchema(before) !== isSchema(after)) this.breaks(place, `was ${show(before)}, is ${show(after)}`);
  }

  private enumeration(before: unknown, after: unknown, at: string): void {
    if (before === undefined || after === undefined) return this.opaqueValue(before, after, at, 'enum');
    for (const value of names(before).filter((it) => !names(after).includes(it)))
      this.breaks(at, `the value ${show(value)} of ${this.direction}s is gone`);
    for (const value of names(after).filter((it) => !names(before).includes(it)))
      this.adds(at, `new value ${show(value)} of ${this.direction}s`);
  }

  /** Compares a numeric bound. `narrower` is the sign of `after - before` for a change that accepts fewer values. */
  private bound(before: unknown, after: unknown, at: string, name: string, narrower: 1 | -1): void {
    const open = -narrower * Infinity;
    const step = (Number(after ?? open) - Number(before ?? open)) * narrower;
    if (before === after || Number.isNaN(step)) return;
    this.restriction(step > 0, at, `${name} was ${show(before)}, is ${show(after)}`);
  }

  private opaqueValue(before: unknown, after: unknown, at: string, name: string): void {
    if (isSame(before, after)) return;
    const message = `${name} was ${show(before)}, is ${show(after)}`;
    if (before !== undefined && after !== undefined) this.breaks(at, message);
    else this.restriction(after !== undefined, at, message);
  }

  private demand(before: boolean, after: boolean, at: string, name: string): void {
    if (before !== after) this.restriction(after, at, after ? `is now ${name}` : `is no longer ${name}`);
  }

  /**
   * Adds a change of a restriction. A narrower request or a wider response is breaking. The opposite changes are not.
   */
  private restriction(isNarrower: boolean, at: string, message: string): void {
    if (isNarrower === (this.direction === 'request')) this.breaks(at, `${message} (of ${this.direction}s)`);
    else this.adds(at, `${message} (of ${this.direction}s)`);
  }

  private breaks(at: string, message: string): void {
    this.changes.add('breaking', at, message);
  }

  private adds(at: string, message: string): void {
    this.changes.add('addition', at, message);
  }
}

/**
 * Returns true if the value is a schema, as in a map. Otherwise, the keyword only states whether unknown fields are
 * allowed.
 */
function isSchema(additional: unknown): boolean {
  return typeof additional === 'object';
}

function names(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function show(value: unknown): string {
  return value === undefined ? 'absent' : JSON.stringify(value);
}
