/** Runs the journeys of `journeys.yaml`, which explains their words, with any client. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { inspect, isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { Fault } from '../faulty-proxy.js';
import { until } from '../until.js';
import { fillTwoRequests, longText } from './texts.js';

type Members = Readonly<Record<string, unknown>>;

/** A call of a client. `take` is the number of items to iterate over, or null for the result itself. */
export interface Call {
  readonly on: string;
  readonly call: string;
  readonly args: readonly unknown[];
  readonly options: Members;
  readonly take: number | 'all' | null;
  readonly watch: string | null;
}

/** What came of a call. `seen` has the statuses and names of errors that the watched callback got. */
export interface Outcome {
  readonly value?: unknown;
  readonly error?: unknown;
  readonly seen: readonly unknown[];
}

/** A client in one language. */
export interface Driver {
  connect(name: string, options: Members): Promise<void>;
  send(call: Call): Promise<Outcome>;
}

/** The service, and what surrounds it. */
export interface World {
  readonly baseUrl: string;
  readonly key: string;
  /** URL of a receiver of webhooks. */
  readonly receiver: string;
  now(): string;
  inject(faults: readonly Fault[]): Promise<void>;
  /** Resolves with the deliveries once so many have arrived. */
  deliveries(count: number): Promise<ReadonlyArray<{ readonly headers: object; readonly bytes: Buffer }>>;
}

interface Step extends Partial<Record<'call' | 'connect' | 'on' | 'save' | 'watch', string>> {
  readonly receive?: number;
  readonly fill?: unknown;
  readonly with?: Members;
  readonly args?: readonly unknown[];
  readonly options?: Members;
  readonly faults?: readonly string[];
  readonly for?: number | readonly unknown[];
  readonly all?: true;
  readonly take?: number;
  readonly until?: true;
  readonly seen?: readonly unknown[];
  readonly expect?: Members;
  readonly error?: Members;
}

export interface Journey {
  readonly name: string;
  /** Whether clients that generators create run the journey too. */
  readonly isGenerated: boolean;
  readonly steps: readonly Step[];
  readonly values: Members;
}

interface Entry {
  readonly journey: string;
  readonly generated?: true;
  readonly each?: readonly Members[];
  readonly steps: readonly Step[];
}

/** Returns the journeys, one per row of those with `each`. */
export function readJourneys(): Journey[] {
  const entries: Entry[] = parse(readFileSync(new URL('journeys.yaml', import.meta.url), 'utf8'));
  return entries.flatMap(({ journey, generated = false, each = [{}], steps }) =>
    each.map((values) => {
      const name = journey.replace(/\$(\w+)/g, (_, member: string) => String(values[member]));
      return { name, isGenerated: generated, steps, values };
    }),
  );
}

/** Runs the steps in order. Rejects with the first one whose result or error is not the expected one. */
export async function runJourney({ steps, values }: Journey, driver: Driver, world: World): Promise<void> {
  const saved: Record<string, unknown> = { receiver: world.receiver, longText, ...values };
  await driver.connect('client', { baseUrl: world.baseUrl, key: world.key });
  for (const step of steps) {
    if (step.faults) await world.inject(resolve(step.faults) as Fault[]);
    const items = resolve(typeof step.for === 'number' ? Array(step.for).fill(null) : (step.for ?? [null]));
    const results = [];
    for (const it of items as unknown[]) {
      saved['it'] = it;
      results.push(await run(step));
    }
    if (step.save) saved[step.save] = step.for ? results : results[0];
  }

  async function run(step: Step): Promise<unknown> {
    const options = resolve(step.options ?? {}) as Members;
    if (step.connect) return driver.connect(step.connect, { baseUrl: world.baseUrl, ...options });
    if (step.fill)
      return fillTwoRequests(resolve(step.fill) as number, world.now(), resolve(step.with ?? {}) as Members);
    if (step.receive) {
      const delivery = (await world.deliveries(step.receive))[step.receive - 1];
      return { headers: delivery?.headers, body: delivery?.bytes.toString() };
    }
    const { on = 'client', call = '', watch = null, take = step.all ? 'all' : null } = step;
    const args = resolve(step.args ?? []) as unknown[];
    const send = () => driver.send({ on, call, args, options, take, watch });
    let outcome = await send();
    if (step.until)
      await until(call, async () => {
        outcome = await send();
        return listFaults(step, outcome).length === 0;
      });
    const faults = listFaults(step, outcome);
    if (faults.length > 0) throw new Error(`${call}: ${faults.join('\n')}`);
    return outcome.value;
  }

  /** Returns what differs from the expected result, error and callbacks. */
  function listFaults(step: Step, { value, error, seen }: Outcome): string[] {
    if (error !== undefined && !step.error) return [`failed with ${inspect(error)}`];
    if (error === undefined && step.error) return [`did not fail, but returned ${inspect(value)}`];
    const wanted = Object.entries(step.error ?? step.expect ?? {});
    const expected = step.seen ? [...wanted, ['seen', step.seen] as const] : wanted;
    return expected.flatMap(([path, template]) => {
      const found = path === 'seen' && step.seen ? seen : read(step.error ? error : value, path.split('.'));
      const it = resolve(template);
      return holds(found, it) ? [] : [`${path} is ${inspect(found)} instead of ${inspect(it)}`];
    });
  }

  /** Replaces each `$name.path` in a template by its value. */
  function resolve(template: unknown): unknown {
    if (Array.isArray(template)) return template.map(resolve);
    if (typeof template === 'object' && template)
      return Object.fromEntries(Object.entries(template).map(([name, it]) => [name, resolve(it)]));
    return typeof template === 'string' && template.startsWith('$') ? find(template.slice(1).split('.')) : template;
  }

  function find([name = '', ...path]: string[]): unknown {
    if (name === 'new') return createId('n');
    if (name === 'now') return world.now();
    if (/^(session|person)/.test(name)) saved[name] ??= createId(name);
    if (!(name in saved)) throw new Error(`no step saved $${name}`);
    // A row of `each` may name a value too.
    return resolve(read(saved[name], path));
  }
}

/** Returns an id with characters that require encoding in a path. */
const createId = (name: string) => `${name}/${randomUUID()}?#&+%`;

/** Returns the value at a path. `*` is each item of an array, `keys` the names of the members, `self` the value. */
function read(value: unknown, [step, ...rest]: string[]): unknown {
  if (step === undefined || step === 'self') return value;
  if (step === '*') return (value as unknown[]).map((it) => read(it, rest));
  if (step === 'keys') return Object.keys(value as object);
  if (step === 'header')
    return read(JSON.parse(Buffer.from(String(value).split('.')[0] ?? '', 'base64url').toString()), rest);
  return read((value as Members | undefined)?.[step], rest);
}

const sum = (values: unknown) => (values as number[]).reduce((total, it) => total + it, 0);
const sort = (values: unknown) => [...(values as string[])].sort();

/** What a value may be besides equal. */
const rules: Readonly<Record<string, (found: unknown, wanted: unknown) => boolean>> = {
  absent: (found) => found === undefined,
  matches: (found, pattern) => typeof found === 'string' && new RegExp(String(pattern)).test(found),
  above: (found, bound) => Number(found) > Number(bound),
  below: (found, bound) => Number(found) < Number(bound),
  sum: (found, total) => sum(found) === total,
  every: (found, value) => (found as unknown[]).every((it) => it === value),
  has: (found, values) => (values as unknown[]).every((it) => (found as unknown[]).includes(it)),
  lacks: (found, value) => !(found as unknown[]).includes(value),
  same: (found, values) => isDeepStrictEqual(sort(found), sort(values)),
};

function holds(found: unknown, wanted: unknown): boolean {
  const [[name, value] = []] = typeof wanted === 'object' && wanted ? Object.entries(wanted) : [];
  const rule = name === undefined ? undefined : rules[name];
  return rule ? rule(found, value) : isDeepStrictEqual(found, wanted);
}
