/**
 * Loaded by a service process before the service. Shifts the wall clock by the milliseconds in the file
 * CLOCK_SHIFT_FILE, whose content may change at any time. Does not shift the monotonic clock and timers, as when an
 * operator sets a clock.
 */
import { readFileSync } from 'node:fs';

const file = process.env['CLOCK_SHIFT_FILE'] ?? '';
const readEveryMs = 20;
const RealDate = Date;
let shiftMs = 0;

function readShift(): void {
  // The file may be empty while it is written. The previous shift then applies.
  const text = readFileSync(file, 'utf8');
  if (text !== '') shiftMs = Number(text);
}

const now = () => RealDate.now() + shiftMs;
readShift();
setInterval(readShift, readEveryMs).unref();
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});
