import { onTestFinished } from 'vitest';
import { openProxy, type Proxy } from './open-proxy.js';

export type { Proxy };

/** Opens a proxy that is closed at the end of the test. */
export async function startProxy(targetHost: string, targetPort: number): Promise<Proxy> {
  const proxy = await openProxy(targetHost, targetPort);
  onTestFinished(proxy.close);
  return proxy;
}

/** Opens a proxy to the server of a database. Returns it, and the URL of the database through it. */
export async function startDatabaseProxy(url: string): Promise<{ readonly proxy: Proxy; readonly url: string }> {
  const through = new URL(url);
  const proxy = await startProxy(through.hostname, Number(through.port || 3306));
  through.host = `127.0.0.1:${proxy.port}`;
  return { proxy, url: through.href };
}
