import { Counter, Gauge, type Registry } from 'prom-client';
import { inTime } from './in-time.js';

/** Returns the value of a gauge. */
export type Figure = () => Promise<number>;

/** Adds a counter that each scrape reads. */
export function addCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/**
 * Adds a gauge that each scrape reads. If it cannot be read, the scrape omits the gauge, or with `isKept` shows the last
 * value.
 */
export function addGauge(registry: Registry, name: string, help: string, read: Figure, isKept = false): void {
  let isKnown = false;
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      try {
        this.set(await inTime(read()));
        isKnown = true;
      } catch {
        if (!isKept || !isKnown) this.remove();
      }
    },
  });
}
