import { type Changes, type Direction, entries, follow, type Part, type Placed } from './changes.js';
import { type Documents, SchemaComparison } from './schemas.js';

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** Compares paths, methods, parameters, bodies, responses and callbacks. */
export class OperationComparison {
  constructor(
    private readonly documents: Documents,
    private readonly changes: Changes,
  ) {}

  compare(): void {
    const { before, after } = this.documents;
    const old = operationsOf(before);
    const now = operationsOf(after);
    for (const [name, operation] of old) {
      this.changes.enter(name);
      const present = now.get(name);
      if (!present) this.changes.add('breaking', name, 'the operation is gone');
      else this.operation(name, operation, present);
    }
    for (const name of now.keys()) {
      this.changes.enter(name);
      if (!old.has(name)) this.changes.add('addition', name, 'new operation');
    }
    this.changes.enter('');
  }

  private operation(name: string, before: Part, after: Part): void {
    if (before['operationId'] !== after['operationId'])
      this.changes.add('breaking', name, `operationId was ${before['operationId']}, is ${after['operationId']}`);
    if (isPublic(before) && !isPublic(after)) this.changes.add('breaking', name, 'a key is needed now');
    this.parameters(name, before['parameters'], after['parameters'], 'request');
    this.requestBody(`${name} request body`, before['requestBody'], after['requestBody'], 'request');
    this.responses(name, before['responses'], after['responses']);
    this.callbacks(name, before['callbacks'], after['callbacks']);
  }

  private parameters(name: string, before: unknown, after: unknown, direction: Direction): void {
    const old = this.parametersByName(this.documents.before, before);
    const now = this.parametersByName(this.documents.after, after);
    for (const [key, { part, at }] of old) this.parameter(`${name} ${key}`, part, now.get(key)?.part, at, direction);
    for (const [key, { part }] of now) {
      if (old.has(key)) continue;
      const isAsked = direction === 'request' && part['required'] === true;
      this.changes.add(
        isAsked ? 'breaking' : 'addition',
        `${name} ${key}`,
        `new parameter${isAsked ? ' that is required' : ''}`,
      );
    }
  }

  private parameter(place: string, old: Part, now: Part | undefined, at: string, direction: Direction): void {
    if (!now) return this.changes.add('breaking', place, 'the parameter is gone');
    this.required(place, old['required'] === true, now['required'] === true, direction);
    this.schema(old['schema'], now['schema'], at, direction);
  }

  private requestBody(place: string, before: unknown, after: unknown, direction: Direction): void {
    const old = follow(this.documents.before, before, place).part;
    const now = follow(this.documents.after, after, place).part;
    this.required(place, old['required'] === true, now['required'] === true, direction);
    this.content(place, old['content'], now['content'], direction);
  }

  private responses(name: string, before: unknown, after: unknown): void {
    const now = new Map(entries(after));
    for (const [status, response] of entries(before)) {
      const place = `${name} ${status}`;
      const present = now.get(status);
      if (!present) this.changes.add('breaking', place, 'the status is gone');
      else this.response(place, response, present);
    }
    const known = new Set(Object.keys((before ?? {}) as Part));
    // A new status is not an allowed addition, because a client that handles every documented status would not handle
    // the new one.
    for (const status of [...now.keys()].filter((it) => !known.has(it)))
      this.changes.add('breaking', `${name} ${status}`, 'a new status of a known operation');
  }

  private response(name: string, before: Part, after: Part): void {
    const { part: old, at } = follow(this.documents.before, before, name);
    const { part: now } = follow(this.documents.after, after, name);
    const headers = new Map(entries(now['headers']));
    for (const [header, it] of entries(old['headers'])) {
      const place = `${at} header ${header}`;
      const present = headers.get(header);
      if (!present) this.changes.add('breaking', place, 'the header is gone');
      else this.header(place, it, present);
      headers.delete(header);
    }
    for (const header of headers.keys()) this.changes.add('addition', `${at} header ${header}`, 'new header');
    this.content(at, old['content'], now['content'], 'answer');
  }

  private header(place: string, before: Part, after: Part): void {
    const { part: old, at } = follow(this.documents.before, before, place);
    const { part: now } = follow(this.documents.after, after, place);
    this.required(at, old['required'] === true, now['required'] === true, 'answer');
    this.schema(old['schema'], now['schema'], at, 'answer');
  }

  private content(place: string, before: unknown, after: unknown, direction: Direction): void {
    const now = new Map(entries(after));
    for (const [mediaType, it] of entries(before)) {
      const present = now.get(mediaType);
      if (!present) this.changes.add('breaking', place, `${mediaType} is gone`);
      else this.schema(it['schema'], present['schema'], `${place} ${mediaType}`, direction);
      now.delete(mediaType);
    }
    for (const mediaType of now.keys())
      this.changes.add(
        direction === 'answer' && before === undefined ? 'breaking' : 'addition',
        place,
        `new ${mediaType}`,
      );
  }

  /**
   * Compares callbacks. Treats a callback body like a response, because the service writes it and the client reads it.
   */
  private callbacks(name: string, before: unknown, after: unknown): void {
    const now = new Map(callbackOperations(after));
    for (const [key, callback] of callbackOperations(before)) {
      const place = `${name} callback ${key}`;
      const present = now.get(key);
      if (!present) this.changes.add('breaking', place, 'the callback is gone');
      else {
        this.parameters(place, callback['parameters'], present['parameters'], 'answer');
        this.requestBody(`${place} body`, callback['requestBody'], present['requestBody'], 'answer');
        this.responses(place, callback['responses'], present['responses']);
      }
      now.delete(key);
    }
    for (const key of now.keys()) this.changes.add('addition', `${name} callback ${key}`, 'new callback');
  }

  private required(place: string, before: boolean, after: boolean, direction: Direction): void {
    if (before === after) return;
    const isBreaking = after === (direction === 'request');
    this.changes.add(isBreaking ? 'breaking' : 'addition', place, after ? 'is now required' : 'is no longer required');
  }

  private schema(before: unknown, after: unknown, at: string, direction: Direction): void {
    new SchemaComparison(this.documents, this.changes, direction).compare(before, after, at);
  }

  private parametersByName(document: Part, parameters: unknown): Map<string, Placed> {
    const placed = ((parameters ?? []) as Part[]).map((it) => follow(document, it, 'parameter'));
    return new Map(placed.map((it) => [`${it.part['in']} parameter ${it.part['name']}`, it]));
  }
}

/** Returns the operations by method and path. Matches path parameters by position, not by name. */
function operationsOf(document: Part): Map<string, Part> {
  const all = entries(document['paths']).flatMap(([path, item]) =>
    entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]): [string, Part] => [
        `${method.toUpperCase()} ${path}`,
        { ...operation, security: operation['security'] ?? document['security'] },
      ]),
  );
  return new Map(all);
}

function callbackOperations(callbacks: unknown): Array<[string, Part]> {
  return entries(callbacks).flatMap(([name, callback]) =>
    entries(callback).flatMap(([, item]) =>
      entries(item)
        .filter(([method]) => methods.includes(method))
        .map(([method, operation]): [string, Part] => [`${name} ${method.toUpperCase()}`, operation]),
    ),
  );
}

function isPublic({ security }: Part): boolean {
  return !Array.isArray(security) || security.length === 0;
}
