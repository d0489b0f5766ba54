import { onTestFinished } from 'vitest';
import { openProxy, type Proxy } from './open-proxy.js';

export type { Proxy };

/** Opens a proxy that is closed at the end of the test. */
export async function startProxy(targetHost: string, targetPort: number): Promise<Proxy> {
  const proxy = await openProxy(targetHost, targetPort);
  onTestFinished(proxy.close);
  return proxy;
}
