import { describe, expect, test } from 'vitest';
import { setUp } from '../consents.js';
import { injectFaults, startFaultyProxy } from '../faulty-proxy.js';
import { startReceiver } from '../receiver.js';
import { startDelivering } from '../service.js';
import { type Driver, readJourneys, runJourney } from './journey.js';

/** Tests each journey with a client, on an account that records consent, behind a proxy that injects faults. */
export function testJourneys(client: string, start: () => Promise<Driver> | Driver): void {
  describe(client, () => {
    test.each(readJourneys())('$name', async (journey) => {
      const service = await setUp(await startDelivering(), { consent: 'record' });
      const [baseUrl, receiver] = [await startFaultyProxy(service.url), await startReceiver()];
      const running = runJourney(journey, await start(), {
        ...{ baseUrl, key: service.key, receiver: receiver.url, now: () => service.clock.at() },
        ...{ inject: (faults) => injectFaults(baseUrl, faults), deliveries: receiver.until },
      });
      await expect(running).resolves.toBeUndefined();
    });
  });
}
