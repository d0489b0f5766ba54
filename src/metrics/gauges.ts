import { Counter, Gauge, type Registry } from 'prom-client';

/** Returns the value of a gauge. If it rejects, the scrape omits the gauge. */
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

/** Adds a gauge that each scrape reads. */
export function addGauge(registry: Registry, name: string, help: string, read: Figure): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      try {
        this.set(await read());
      } catch {
        this.remove();
      }
    },
  });
}
