import type { Driver } from './journey.js';

type Options = Readonly<Record<string, unknown>>;
type Method = (...args: unknown[]) => unknown;

/**
 * Returns a driver of clients in this process. Methods in groups have a dot in their names. `functions` belong to no
 * client.
 */
export function createDriver(connect: (options: Options) => object, functions: object = {}): Driver {
  const clients = new Map<string, object>();
  return {
    async connect(name, { token, ...options }) {
      const tokens = Array.isArray(token) ? [...token] : [];
      const source = tokens.length > 0 ? () => tokens.shift() ?? '' : token;
      clients.set(name, connect({ ...options, ...(token !== undefined && { token: source }) }));
    },
    async send({ on, call, args, options, take, watch }) {
      const seen: unknown[] = [];
      const note = (it: { status?: number; name?: string } | undefined) => void seen.push(it?.status ?? it?.name);
      const last = { ...options, ...(watch && { [watch]: note }) };
      const [method = '', owner] = call.split('.').reverse();
      const client = { ...functions, ...clients.get(on) } as Record<string, Method | Record<string, Method>>;
      const run = ((owner ? client[owner] : client) as Record<string, Method>)[method];
      if (!run) throw new Error(`the client has no ${call}`);
      try {
        const found = run(...args, ...(Object.keys(last).length > 0 ? [last] : []));
        return { value: take === null ? await found : await collect(found as AsyncIterable<unknown>, take), seen };
      } catch (error) {
        return { error, seen };
      }
    },
  };
}

/** Returns the first items. Leaves the loop after the last of them, so that a stream closes its connection. */
async function collect(items: AsyncIterable<unknown>, count: number | 'all'): Promise<unknown[]> {
  const found = [];
  for await (const item of items) {
    found.push(item);
    if (found.length === count) break;
  }
  return found;
}
